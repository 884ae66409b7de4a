/** Written by `scripts/train-reranker.mjs`; one weight for each of `FEATURES`. */
export const RERANKER_WEIGHTS: readonly number[] = [
  3.489, // score
  0.486, // share
  0.03, // inName
  0.244, // inDescription
  0.115, // inServer
  0.021, // inParameters
  0.075, // inDetails
  0.947, // nameCovered
  1.347, // descriptionCovered
  0.866, // serverCovered
  0.969, // queryCovered
  -0.001, // queryInName
  0.557, // neighbours
  1.048, // insideName
  -0.019, // clauseBest
  0.161, // clauseCovered
  1.736, // clauseFirst
  0.487, // serverBest
  0.683, // synonyms
];
