/** This many pieces of a message are ordinary, and each is copied once. */
const MOST_PIECES = 64;

/**
 * Adds a piece to an incomplete message. A piece of one byte takes a hundred times its size, and the sender chooses the
 * pieces: many small ones are merged, larger with larger ones, so that memory and copying stay proportional.
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
