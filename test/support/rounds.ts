/** How often a test of endurance goes round: a few times in `npm test`, in full in `npm run soak`. */
export function rounds(full: number, few: number): number {
  return process.env.TOOLCRIB_SOAK === "full" ? full : few;
}
