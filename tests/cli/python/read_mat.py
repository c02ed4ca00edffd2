"""Opens a MAT result with scipy, the way readers of Dymola's trajectories do, and prints it as JSON."""

import json
import sys

import scipy.io


def columns_as_texts(matrix):
    return ["".join(column).rstrip() for column in matrix.T]


mat = scipy.io.loadmat(sys.argv[1], chars_as_strings=False)
assert ["".join(row).rstrip() for row in mat["Aclass"]] == ["Atrajectory", "1.1", "", "binTrans"], mat["Aclass"]
info = mat["dataInfo"]
result = []
for k, (name, text) in enumerate(zip(columns_as_texts(mat["name"]), columns_as_texts(mat["description"]))):
    block = info[0, k] or 2  # 0: the abscissa, which every block has
    row = abs(info[1, k]) - 1
    values = mat[f"data_{block}"][row] * (1 if info[1, k] > 0 else -1)
    description, _, unit = text.rpartition(" [")
    result.append({"name": name, "description": description, "unit": unit.rstrip("]"), "values": values.tolist()})
ends = mat["data_1"][0]
assert len(result[0]["values"]) == 0 or ends.tolist() == [result[0]["values"][0], result[0]["values"][-1]], ends
json.dump(result, sys.stdout)
