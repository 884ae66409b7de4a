/** Offers a file to be saved. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The download has begun by then; what it needs stays until it is read.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
