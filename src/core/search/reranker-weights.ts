/** Written by `scripts/train-reranker.mjs`; one weight for each of `FEATURES`. */
export const RERANKER_WEIGHTS: readonly number[] = [
  3.037, // score
  0.232, // share
  -0.051, // inName
  0.139, // inDescription
  0.093, // inServer
  0.012, // inParameters
  0.048, // inDetails
  0.766, // nameCovered
  1.161, // descriptionCovered
  0.796, // serverCovered
  0.635, // queryCovered
  -0.111, // queryInName
  0.528, // neighbours
  0.963, // insideName
  -0.164, // clauseBest
  0.047, // clauseCovered
  1.617, // clauseFirst
  0.413, // serverBest
  0.504, // synonyms
  0.735, // clauseNear
  0.989, // wordsNear
];
