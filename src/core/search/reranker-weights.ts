/** Written by `scripts/train-reranker.mjs`; one weight for each of `FEATURES`. */
export const RERANKER_WEIGHTS: readonly number[] = [
  3.504, // score
  0.57, // share
  0.064, // inName
  0.349, // inDescription
  0.108, // inServer
  -0.002, // inParameters
  0.053, // inDetails
  0.907, // nameCovered
  1.253, // descriptionCovered
  0.829, // serverCovered
  1.186, // queryCovered
  0.048, // queryInName
  0.481, // neighbours
  1.04, // insideName
  -0.067, // clauseBest
  0.337, // clauseCovered
  1.865, // clauseFirst
  0.525, // serverBest
];
