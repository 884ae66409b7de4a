/** Comments and commas before a closing bracket become blanks, so that all else keeps its place. */
export function blankExtras(text: string): string {
  return blankComments(text).replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (part) => (part === "," ? " " : part));
}

export function blankComments(text: string): string {
  return text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
    part.startsWith('"') ? part : part.replace(/[^\n]/g, " "),
  );
}
