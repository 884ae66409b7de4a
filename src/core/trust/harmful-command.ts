/** Command lines that fetch and run, wipe, or open a way in. */
const COMMANDS: readonly RegExp[] = [
  /\b(?:curl|wget)\b[^|\n]{0,200}\|\s{0,3}(?:sudo )?(?:ba|z|da)?sh\b/u,
  /\b(?:curl|wget)\b[^\n]{0,80}(?:-d|--data|-f|--upload-file|-t|--post-file)[^\n]{0,20}[@$~/][^\n]{0,80}https?:/u,
  /\b(?:curl|wget)\b[^\n]{0,160}https?:[^\n]{0,80}(?:-d|--data(?:-binary)?|-f|--upload-file|-t|--post-file)[ =]{0,2}[@$~]/u,
  /\bbase64 (?:-d|--decode)[^|\n]{0,80}\|\s{0,3}(?:ba|z)?sh\b/u,
  /\bnc (?:-\w+ )*-e\b|\/dev\/tcp\/|\bmkfifo\b[^\n]{0,60}\bnc\b/u,
  /\b(?:run|execute|type|call|exec|invoke|eval)\b[^\n]{0,60}\brm -(?:rf|fr) [~/$]/u,
  /\|\s{0,3}(?:ba)?sh -?\s{0,3}(?:$|['")&;])/u,
  /\bpowershell\b[^\n]{0,60}-e(?:nc|ncodedcommand)\b|\biex ?\(/u,
  /\$\([^)\n]{0,80}(?:~\/|\/etc\/|\.env\b|\.ssh|printenv)/u,
];
/** Every one of these patterns contains this. */
const WORTH_A_LOOK = /curl|wget|base64|\bnc |\/dev\/tcp|mkfifo|rm -|\| {0,3}(?:ba)?sh|powershell|iex|\$\(/u;

/** Text that contains a command which does harm when run. */
export function runsCommand(plain: string): boolean {
  return WORTH_A_LOOK.test(plain) && COMMANDS.some((pattern) => pattern.test(plain));
}
