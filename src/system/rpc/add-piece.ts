/** So many pieces of a message are ordinary, and each is copied once. */
const MOST_PIECES = 64;

/**
 * Adds to what has come of a message. A piece of one byte takes a hundred times its size, and whoever sends chooses the
 * pieces: many small ones are put together, larger with larger ones, so that both memory and copying stay in proportion.
 */
export function addPiece(pieces: Buffer[], piece: Buffer): void {
  pieces.push(piece);
  if (pieces.length <= MOST_PIECES) return;
  let from = pieces.length - 1;
  let size = piece.length;
  for (let before = pieces[from - 1]; before !== undefined && before.length <= 2 * size; before = pieces[from - 1]) {
    size += before.length;
    from -= 1;
  }
  if (from < pieces.length - 1) pieces.splice(from, pieces.length - from, Buffer.concat(pieces.slice(from), size));
}
