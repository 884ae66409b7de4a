/** Common English words that do not help to tell which tool is meant. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the and or of to in on for with by from at as is are was were be been being it its this that these those " +
    "i me my mine we us our you your he she they them their his her " +
    "do does did doing done can could will would shall should may might must have has had having " +
    "what which who whom whose when where why how if then than so but not no nor too very just also " +
    "please help need want like some any all there here about into over under out up down off again more most " +
    "such only own same other both each few s t ll ve re d m im id let am"
  ).split(" "),
);
