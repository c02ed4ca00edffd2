"""Opens an HDF5 result with h5py and prints it as JSON, in the order of creation."""

import json
import sys

import h5py

with h5py.File(sys.argv[1]) as file:
    result = []
    for name in file["/"]:  # the file itself would list its names in the order of the alphabet
        data = file[name]
        assert data.ndim == 1 and data.dtype == "float64", name
        if name != "time":
            assert data.dims[0][0] == file["time"], f"{name} has no axis"
        result.append({"name": name, "description": data.attrs["description"], "unit": data.attrs["unit"],
                       "values": data[:].tolist()})
    result[0]["model"] = file.attrs["model"]
json.dump(result, sys.stdout)
