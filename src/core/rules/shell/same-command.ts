/** Docker and podman commands that also have a long name, by the group it begins with. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  container: [
    ...["attach", "commit", "cp", "create", "diff", "exec", "export", "kill", "logs", "pause", "port", "rename"],
    ...["restart", "rm", "run", "start", "stats", "stop", "top", "unpause", "update", "wait"],
  ],
  image: ["build", "history", "import", "load", "pull", "push", "save", "tag"],
  buildx: ["build"],
  builder: ["build"],
};

/** Commands whose long name ends with another word. */
const RENAMED: readonly (readonly [short: string, ...long: string[]])[] = [
  ["ps", "container", "ls"],
  ["ps", "container", "list"],
  ["ps", "container", "ps"],
  ["images", "image", "ls"],
  ["images", "image", "list"],
  ["rmi", "image", "rm"],
  ["rmi", "image", "remove"],
];

const PAIRS: readonly (readonly [short: string, ...long: string[]])[] = [
  ...Object.entries(GROUPS).flatMap(([group, names]) => names.map((name) => [name, group, name] as const)),
  ...RENAMED,
];

const TWO_NAMED: ReadonlySet<string> = new Set(["docker", "podman"]);

/** The words of a rule, and every other spelling of the same command: `docker container run` is `docker run`. */
export function sameCommands(rule: readonly string[]): readonly (readonly string[])[] {
  const [program, ...words] = rule;
  if (program === undefined || !TWO_NAMED.has(program)) return [rule];
  const startsWith = (start: readonly string[]): boolean => start.every((word, at) => words[at] === word);
  const shorts = PAIRS.flatMap(([short, ...long]) => (startsWith(long) ? [short] : []));
  const first = [...new Set([...shorts, ...(words[0] === undefined ? [] : [words[0]])])];
  const rest = shorts.length > 0 ? words.slice(2) : words.slice(1);
  const others = first.flatMap((name) => [
    ...(shorts.includes(name) ? [[name]] : []),
    ...PAIRS.flatMap(([short, ...long]) => (short === name ? [long] : [])),
  ]);
  return [rule, ...others.map((start) => [program, ...start, ...rest])];
}
