/**
 * This module has the parameters of the operators on point clouds, which are options of the commands that do
 * the same.
 */
import {
  choice,
  number,
  optionalNumber,
  optionalNumbers,
  optionalWholeNumber,
  required,
  wholeNumber,
} from "../catalogue/parameters.ts";
import { neighbourParameters } from "./measure.ts";

export const cloudMetric = choice(["euclidean", "sqeuclidean"], {
  default: "euclidean",
  says: "whether to report distances or their squares",
});

export const nearestPointParameters = {
  k: wholeNumber({ min: 1, default: 1, says: neighbourParameters.k.says }),
  metric: cloudMetric,
  radius: neighbourParameters.radius,
};

/** The order of points is the command's alone: it changes no result, which is what a process says. */
export const orderParameters = {
  technique: choice(["auto", "grid"], {
    default: "auto",
    says: "how the points are ordered; results do not depend on it",
  }),
  cells: optionalWholeNumber({
    min: 1,
    max: 256,
    says: "cells of the grid along each axis",
    otherwise: "about 8 points per cell",
  }),
};

/** Clouds that are made of random numbers, which a process has from a file, take these parameters. */
export const generateParameters = {
  rows: required(optionalWholeNumber({ min: 1, says: "number of points of the cloud" })),
  queries: optionalWholeNumber({ min: 1, says: "number of query points", otherwise: "as many as points" }),
  seed: wholeNumber({ min: 0, default: 1, says: "seed of the random points" }),
  // toFixed writes no more.
  decimals: wholeNumber({ min: 0, max: 100, default: 6, says: "digits after the decimal point" }),
};

export const icpParameters = {
  iterations: wholeNumber({ min: 1, default: 50, says: "most iterations to run" }),
  tolerance: number({
    min: 0,
    default: 1e-6,
    says: "stop when the error changes by less than this share of the size of the target",
  }),
  maxDistance: optionalNumber({
    min: 0,
    says: "largest distance between the points of a pair",
    otherwise: "any",
  }),
  overlap: number({
    above: 0,
    max: 1,
    default: 1,
    says: "share of the source points that are paired: those with the nearest partners",
  }),
};

export const outlierParameters = {
  k: wholeNumber({ min: 1, default: 8, says: "number of neighbours whose mean distance is compared" }),
  deviations: number({
    default: 2,
    says: "standard deviations by which the mean distance of a point may exceed that of all points",
  }),
};

export const duplicateParameters = {
  tolerance: number({ min: 0, default: 0, says: "largest distance between a point and its duplicate" }),
};

export const normalsParameters = {
  k: wholeNumber({
    min: 2,
    default: 30,
    says: "points of each neighbourhood, at least as many as there are columns",
  }),
  viewpoint: optionalNumbers({
    least: 2,
    says: "point that normals are turned towards, one number for each column",
    otherwise: "none; the largest component of each normal is positive",
  }),
};
