/** Detects, piece by piece, when the text of one JSON object is complete. */
export interface JsonEnd {
  push(piece: string): void;
  readonly isWhole: boolean;
}

export function createJsonEnd(): JsonEnd {
  let depth = 0;
  let inText = false;
  let escaped = false;
  let whole = false;
  return {
    push(piece) {
      for (const character of piece) {
        if (escaped) escaped = false;
        else if (inText) {
          if (character === "\\") escaped = true;
          else if (character === '"') inText = false;
        } else if (character === '"') inText = true;
        else if (character === "{" || character === "[") depth += 1;
        else if (character === "}" || character === "]") {
          depth -= 1;
          if (depth === 0) whole = true;
        }
      }
    },
    get isWhole() {
      return whole;
    },
  };
}
