"""Writes a small trajectory as Dymola would: binNormal or binTrans, single precision, an alias with a sign, a
constant."""

import sys

import numpy
import scipy.io


layout = sys.argv[2]
turn = (lambda m: m.T) if layout == "binTrans" else (lambda m: m)


def texts(rows, turned=False):
    width = max(len(row) for row in rows)
    rows = [row.ljust(width) for row in rows]
    return numpy.array(["".join(column) for column in zip(*rows)] if turned else rows)


time = numpy.array([0.0, 0.5, 1.0, 1.0, 1.5])
speed = numpy.array([0.0, 2.0, 4.0, -4.0, -2.0])
scipy.io.savemat(sys.argv[1], {
    "Aclass": texts(["Atrajectory", "1.1", "", layout]),
    "name": texts(["Time", "body.v", "minus", "body.m"], layout == "binTrans"),
    "description": texts(["Time in [s]", "speed [m/s|km/h]", "the same reversed [m/s]", "mass [kg]"],
                         layout == "binTrans"),
    "dataInfo": turn(numpy.array([[0, 1, 0, -1], [2, 2, 0, -1], [2, -2, 0, -1], [1, 2, 0, -1]], dtype="int32")),
    "data_1": turn(numpy.array([[0.0, 7.5], [1.5, 7.5]], dtype="float32")),
    "data_2": turn(numpy.array([time, speed], dtype="float32").T),
}, format="4")
