/** Written by `scripts/train-reranker.mjs`; one weight for each of `FEATURES`. */
export const RERANKER_WEIGHTS: readonly number[] = [
  3.52, // score
  0.121, // share
  -0.165, // inName
  0.178, // inDescription
  0.097, // inServer
  0.037, // inParameters
  -0.019, // inDetails
  0.464, // nameCovered
  1.135, // descriptionCovered
  0.692, // serverCovered
  0.649, // queryCovered
  -0.252, // queryInName
  0.426, // neighbours
  0.867, // insideName
  -0.259, // clauseBest
  0.013, // clauseCovered
  1.27, // clauseFirst
  0.38, // serverBest
  0.649, // synonyms
  0.355, // inExamples
  0.436, // bestExample
  1.088, // nameMeant
  0.664, // nameWords
  0.238, // named
  1.126, // clauseNear
  1.222, // wordsNear
];
