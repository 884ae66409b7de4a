/** Written by `scripts/train-reranker.mjs`; one weight for each of `FEATURES`. */
export const RERANKER_WEIGHTS: readonly number[] = [
  3.59, // score
  0.133, // share
  -0.158, // inName
  0.229, // inDescription
  0.081, // inServer
  0.026, // inParameters
  -0.041, // inDetails
  0.667, // nameCovered
  1.156, // descriptionCovered
  0.641, // serverCovered
  0.683, // queryCovered
  -0.24, // queryInName
  0.411, // neighbours
  0.886, // insideName
  -0.212, // clauseBest
  0.021, // clauseCovered
  1.202, // clauseFirst
  0.357, // serverBest
  0.511, // synonyms
  0.511, // inExamples
  0.643, // bestExample
  0.938, // nameMeant
  0.485, // nameWords
  0.23, // named
  1.118, // clauseNear
  1.223, // wordsNear
];
