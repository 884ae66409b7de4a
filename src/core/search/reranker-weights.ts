/** Written by `scripts/train-reranker.mjs`; one weight for each of `FEATURES`. */
export const RERANKER_WEIGHTS: readonly number[] = [
  3.129, // score
  0.357, // share
  -0.004, // inName
  0.195, // inDescription
  0.101, // inServer
  0.016, // inParameters
  0.055, // inDetails
  0.787, // nameCovered
  1.161, // descriptionCovered
  0.798, // serverCovered
  0.761, // queryCovered
  -0.047, // queryInName
  0.514, // neighbours
  0.971, // insideName
  -0.225, // clauseBest
  0.02, // clauseCovered
  1.57, // clauseFirst
  0.419, // serverBest
  0.516, // synonyms
  0.997, // clauseNear
  0.979, // wordsNear
];
