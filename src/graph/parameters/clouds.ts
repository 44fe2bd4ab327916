/**
 * The parameters of the operators on point clouds, and the options of the commands that do the same.
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
  says: "distance, or its square",
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
    says: "how points are ordered, which changes no result",
  }),
  cells: optionalWholeNumber({
    min: 1,
    max: 256,
    says: "cells of a grid along each column",
    otherwise: "about 8 points each",
  }),
};

/** The parameters of clouds that are made of random numbers, which a process has from a file. */
export const generateParameters = {
  rows: required(optionalWholeNumber({ min: 1, says: "points of the cloud" })),
  queries: optionalWholeNumber({ min: 1, says: "points to find neighbours of", otherwise: "as many" }),
  seed: wholeNumber({ min: 0, default: 1, says: "of the random points" }),
  // toFixed writes no more.
  decimals: wholeNumber({ min: 0, max: 100, default: 6, says: "digits behind the decimal point" }),
};

export const icpParameters = {
  iterations: wholeNumber({ min: 1, default: 50, says: "motions to fit at most" }),
  tolerance: number({
    min: 0,
    default: 1e-6,
    says: "change of the error at which to end, as a share of the size of the target",
  }),
  maxDistance: optionalNumber({
    min: 0,
    says: "largest distance of a pair that counts",
    otherwise: "any",
  }),
  overlap: number({
    above: 0,
    max: 1,
    default: 1,
    says: "share of the moved points that have a partner: the nearest",
  }),
};

export const outlierParameters = {
  k: wholeNumber({ min: 1, default: 8, says: "neighbours whose mean distance is taken" }),
  deviations: number({
    default: 2,
    says: "standard deviations by which that may exceed the mean of all points",
  }),
};

export const duplicateParameters = {
  tolerance: number({ min: 0, default: 0, says: "the largest distance of a point to its duplicate" }),
};

export const normalsParameters = {
  k: wholeNumber({ min: 2, default: 30, says: "points of a neighbourhood, at least as many as columns" }),
  viewpoint: optionalNumbers({
    least: 2,
    says: "the place that normals point to, a number for each column",
    otherwise: "none: their largest component is positive",
  }),
};
