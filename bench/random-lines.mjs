// Random command lines around everything that may pass as reading: options, clusters, abbreviations, quotes, nesting.

/** Options and operands besides those of the tables, the harmful ones among them; `new` is a file that does not exist. */
const MORE = {
  cat: "-A, -n, --show-all",
  head: "-n 2, -c5, --lines=1, -q, --bytes=3",
  tail: "-n 2, -c5, --lines=+1, -q, -s1",
  ls: "-la, -R, --color=always, --time=atime, -1, -d",
  echo: "-n, -e '\\x41'",
  printf: "%s\\n, -v x %s, -v 'a[$(touch new)]' x, -va[0] x",
  test: "-f a.txt, -v 'a[$(touch new)]', -v x, 1 -eq 1, a.txt -nt b.txt, ! x",
  "[": "-f a.txt, -v 'a[$(touch new)]', -n x, 1 -lt 2",
  wc: "-l, -c, --files0-from=list, --total=never",
  grep: "-r a, -n a, -f list, -e a, --include=*.txt, -o a, -of list, --file=list, -P a, --color=always a, -l a",
  rg: "--pre touch a, --pre=touch a, --hostname-bin touch a, -z a, --search-zip a, -f list, -uu a, -l a, --pre-glob=* a",
  sort: "-o new, -onew, -uo new, --output=new, --outp=new, -T dir, --compress-program=touch, --comp=touch -S 1, -S 1, -n, -u, -k 1, --files0-from=list, -m",
  uniq: "-c, a.txt new, --count, -d, -f 1, - new",
  cut: "-d: -f1, -c 1-2, --output-delimiter=x -c 1,2",
  tr: "a-z A-Z, -d a",
  diff: "-u, -r, --from-file=a.txt, --to-file b.txt, -D x, --output=new, -l, --paginate, --pag, -y",
  cmp: "-s, -l, --bytes=3",
  comm: "-1, -23, --output-delimiter=x",
  stat: "-c %n, --format=%s, -t, -L, --printf=%n",
  file: "-b, -C -m magic, -m magic, -f list, --compile -m magic, -z, -S, --magic-file magic, --comp -m magic",
  du: "-sh, --files0-from=list, -X list, -a",
  df: "-h, --output=source, --sync, -T",
  tree: "-o new, -onew, -R -H . -L 1, -L 2, --fromfile, -a, --output new, -ao new",
  find: ". -name *.txt, -delete, -fprint new, -fprintf new %p, -fls new, -fprint0 new, -exec touch new \\;, -execdir touch new \\;, -exec touch {} +, -ok ls {} \\;, -type f, -maxdepth 1, -files0-from list, -print0, -name a.txt -o -fprint new",
  type: "-a, -t ls",
  whoami: "--version",
  uname: "-a, -r",
  id: "-u, -n",
  basename: "-a, -s .txt",
  dirname: "-z a/b",
  realpath: "-m, --relative-to=.",
  readlink: "-f, -e link",
  md5sum: "-c list, --check",
  sha256sum: "-b, --tag",
  nl: "-b a, -w2",
  tac: "-s x, -b",
  rev: "-V",
  jq: "., -r ., -n 1, -f list, --rawfile x a.txt ., --arg x y ., input_filename, env, -L dir ., --raw-output ., -n input",
  cd: "dir, .., -P",
  date: "+%s, -u, -f list, --file=list, -r a.txt, -s 2020-01-01, --set=now, -d now, 01010000",
  sed: "-n p, -i p, -i.bak p, --in-place p, -e s/a/b/, -ne 1p, -f list, --expression=p, -s p, -E s/a/b/, 's/a/b/w new', 1!d, 'w new', '1w new', '1e touch new', 's/alpha/touch new/e', e, 'r b.txt', --quiet p, -nf list, --fil=list, 'W new', -ni p, -En p, -nE 's/a/b/w new', '$!{w new\n}', 'y/a/b/;w new', 's/a/b/;e touch new', -n '/a/w new', -n --expr='w new', '1{w new\n}', 's|a|b|w new', '#n\nw new', 's/a/b/gw new', 'a\\\nx', 1~2p, '0,/x/w new', 'F;w new', -n '$=;w new', 's,a,b,\nw new'",
  git: "status, log, diff, show, rev-parse HEAD, ls-files, ls-tree HEAD, blame a.txt, describe --always, shortlog HEAD, cat-file -p HEAD, merge-base HEAD HEAD, name-rev HEAD, grep alpha, branch, tag, remote, stash list, branch new, tag new, branch -m new, remote add x y, stash, -C dir status, -c core.pager=touch log, -p log, --no-pager log, diff --output=new, log --output new, diff --outp=new, show --output=new, log -p --output=new, grep -O touch alpha, grep -Otouch alpha, grep --open-files-in-pager=touch alpha, grep --open=touch alpha, diff --ext-diff, log --textconv, diff --no-index a.txt b.txt, diff --no-index --output=new a.txt b.txt, cat-file --textconv HEAD:a.txt, cat-file --filters HEAD:a.txt, rev-parse --git-dir, rev-parse --parseopt, blame --contents list a.txt, shortlog --output=new HEAD, ls-files --with-tree=HEAD, describe --dirty, diff -o new, branch --show-current, branch -d new, tag -d new, log --all, show --stat, log -1 --format=%H, status -s",
  hostname: "-f, new",
};
const FILES =
  "a.txt b.txt dir dir/c.txt list link into/c.txt new dir/new *.txt dir/* ? - . .. ~/home.txt /etc/hostname /tmp/new ../h/home.txt ./a.txt nothing.txt 'with blank.txt' -n";
const TEXTS =
  "x 1 2 -1 a[0] 'a b' '$(touch new)' 'a[$(touch new)]' '-v' '-va[$(touch${IFS}new)]' '\\n' '' {} ; + = -eq ] ! %s";
const EXPANSIONS =
  '$x "$x" ${x:-a.txt} $_ "$_" $(ls) "$(cat list)" `ls` $((1+1)) $((_)) $((x)) ${PWD:0:1} ${PWD:_} ${!x} ${x@P} ${#x} $? $# {a,b}.txt {a.txt,new} $RANDOM ~ ${x[0]} $[1+_] <(ls) ./$x "./$x" "$x.txt" "$HOME/home.txt" "$(pwd)/a.txt" "${x%.txt}.txt"';
const REDIRECTIONS =
  ">/dev/null 2>&1 2>/dev/null <a.txt >new >>new &>new <<<text <>new >|new >&2 {fd}>new <<<'a[$(touch${IFS}new)]' <list >/dev/stdout";
const OUTSIDE =
  "touch new; rm a.txt; sh -c 'touch new'; tee new; xargs touch new; env touch new; python3 -c x; awk 1; make; cp a.txt new; eval touch new; . ./list; command touch new";
const LEADING = [
  "LC_ALL=C ",
  "NODE_ENV=x ",
  "! ",
  "time ",
  "command ",
  "timeout 5 ",
  "nice ",
  "x=a.txt ",
  "RANDOM='a[$(touch new)]' ",
  "builtin ",
];

/** @param {number} seed */
function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  /** @param {number} share */
  const chance = (share) => next() < share;
  /** @param {number} count */
  const below = (count) => Math.floor(next() * count);
  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  const pick = (list) => /** @type {T} */ (list[below(list.length)]);
  return { chance, below, pick };
}

/** @typedef {ReturnType<typeof createRandom> & { programs: Programs, names: readonly string[], long: readonly string[] }} Random */

/**
 * Words of a list, where quotes keep blanks together.
 * @param {string} text
 */
function wordsOf(text) {
  return text.match(/(?:'[^']*'|"[^"]*"|\\.|\$\([^)]*\)|`[^`]*`|<\([^)]*\)|\S)+/g) ?? [];
}

const LETTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ01"];

/** @typedef {ReadonlyMap<string, readonly (readonly string[])[]>} Programs Options and operands by the program's name. */

/**
 * Every program that the tables call a reader, with all options that they have for it.
 * @param {readonly string[]} tables
 * @returns {Programs}
 */
export function readersOf(tables) {
  const lines = tables.join("\n").split("\n");
  const macros = new Map(lines.filter((line) => line.startsWith("$")).map((line) => [line.split(" ")[0] ?? "", line]));
  /** @type {(text: string) => string} */
  const fill = (text) => text.replace(/\$[A-Z]+/g, (name) => fill((macros.get(name) ?? "").replace(name, "")));
  /** @type {Map<string, string[][]>} */
  const found = new Map(Object.entries(MORE).map(([name, text]) => [name, text.split(", ").map(wordsOf)]));
  for (const line of lines) {
    const [, heads = "", body = ""] = /^([^$# ][^:]*)::(?: (.*))?$/.exec(line) ?? [];
    const isWhole = /\[[^\]]*1/.test(body);
    const options = fill(body)
      .split(" ")
      .flatMap((token) => (token.startsWith("-") ? optionsOf(token, isWhole) : []));
    for (const head of heads.split(/[|]/)) {
      const [names = "", ...subs] = head.split(" ");
      const sub = subs.map((one) => one.split(",")[0] ?? "");
      for (const name of names.split(",")) {
        if (name === "" || sub.includes("*")) continue;
        found.set(name, [...(found.get(name) ?? []), ...options.map((words) => [...sub, ...words])]);
      }
    }
  }
  return found;
}

/**
 * `-abc=r` of a table as three options with a file each.
 * @param {string} token
 * @param {boolean} isWhole
 */
function optionsOf(token, isWhole) {
  const [, written = "", value] = /^(-[^=!@~^$:.<]*)[^=]*(?:=(.*))?$/.exec(token) ?? [];
  const names = isWhole || written.startsWith("--") ? [written] : [...written.slice(1)].map((letter) => `-${letter}`);
  const given = value === undefined ? [] : [[..."rqgLl"].some((kind) => value.startsWith(kind)) ? "list" : "1"];
  const isJoined = written.startsWith("--") || value?.endsWith("?") === true;
  return names.map((name) =>
    isJoined && given.length > 0 ? [`${name}${name.length > 2 ? "=" : ""}${given[0]}`] : [name, ...given],
  );
}

/**
 * @param {number} seed
 * @param {number} count
 * @param {Programs} programs
 */
export function randomLines(seed, count, programs) {
  const long = [...programs.values()].flat(2).filter((word) => /^--\w./.test(word));
  const random = { ...createRandom(seed), programs, names: [...programs.keys()], long: [...new Set(long)] };
  return Array.from({ length: count }, () => lineOf(random, 0));
}

/**
 * @param {Random} random
 * @param {number} depth
 * @returns {string}
 */
function lineOf(random, depth) {
  const { pick, chance, below } = random;
  const one = () => (depth < 2 && chance(0.2) ? nested(random, depth + 1) : commandOf(random));
  let line = one();
  for (let more = below(10) < 6 ? 0 : 1 + below(2); more > 0; more--)
    line += pick(["; ", " && ", " || ", " | ", "\n", " & ", " |& "]) + one();
  return line;
}

/**
 * @param {Random} random
 * @param {number} depth
 */
function nested(random, depth) {
  const inner = lineOf(random, depth);
  const { pick } = random;
  return pick([
    `( ${inner} )`,
    `{ ${inner}; }`,
    `echo $( ${inner} )`,
    `echo "$( ${inner} )"`,
    `cat <( ${inner} )`,
    `if ${inner}; then ls; fi`,
    `for x in ${pick(["1 2", "a.txt b.txt", "'a[$(touch new)]'", "*.txt", "-i new", "{a,b}.txt"])}; do ${inner}; done`,
    `x=${pick(["a.txt", "'a.txt -o new'", "-o", "'*.txt'", "$(echo -onew)"])}; ${inner}`,
    `while ${inner}; do break; done`,
    `case x in x) ${inner};; esac`,
    `[[ ${pick(["-f a.txt", "$x -eq 1", "_ -lt 2", "-v x", "1 -eq 1", "x == x"])} ]] && ${inner}`,
    `cat <<E\n${inner}\n$( ${inner} )\nE`,
  ]);
}

/** @param {Random} random */
function commandOf(random) {
  const { pick, chance, below } = random;
  if (chance(0.03)) return pick(OUTSIDE.split("; "));
  const name = pick(random.names);
  const own = random.programs.get(name) ?? [];
  const words = [];
  // Most wrong options only make a program stop, so half of the commands are ones that it takes.
  const isPlain = chance(0.5);
  for (let left = below(isPlain ? 3 : 5); left > 0; left--)
    words.push(isPlain && own.length > 0 ? spelled(random, pick(own)) : argumentOf(random, own));
  for (let left = isPlain ? below(3) : 0; left > 0; left--) words.push(pick(["a.txt", "b.txt", "list", "dir"]));
  if (name === "[") words.push("]");
  const leading = chance(0.06) ? pick(LEADING) : "";
  const redirected = chance(0.12) ? ` ${pick(wordsOf(REDIRECTIONS))}` : "";
  return `${leading}${quoted(random, name)} ${words.join(" ")}${redirected}`;
}

/**
 * @param {Random} random
 * @param {readonly (readonly string[])[]} own
 */
function argumentOf(random, own) {
  const { pick, chance, below } = random;
  const kind = below(100);
  if (kind < 38 && own.length > 0) return spelled(random, pick(own));
  if (kind < 48) {
    const letters = Array.from({ length: 1 + below(3) }, () => pick(LETTERS)).join("");
    return quoted(random, `-${letters}${chance(0.3) ? pick(["new", "list", "a.txt", "1"]) : ""}`);
  }
  if (kind < 56) {
    const [long = "", value] = pick(random.long).split("=");
    const name = chance(0.6) ? long.slice(0, 3 + below(long.length - 2)) : long;
    return quoted(random, value === undefined ? name : `${name}=${chance(0.5) ? value : "new"}`);
  }
  if (kind < 84) return quoted(random, pick(wordsOf(FILES)));
  if (kind < 92) return pick(wordsOf(TEXTS));
  return pick(wordsOf(EXPANSIONS));
}

/**
 * @param {Random} random
 * @param {readonly string[]} words
 */
function spelled(random, words) {
  return words.map((word) => quoted(random, word)).join(" ");
}

/**
 * The same word in another spelling, now and then; long options also shorter.
 * @param {Random} random
 * @param {string} whole
 */
function quoted({ chance, pick, below }, whole) {
  const [, long] = /^(--\w[\w-]*)/.exec(whole) ?? [];
  const word =
    long !== undefined && chance(0.3) ? long.slice(0, 3 + below(long.length - 2)) + whole.slice(long.length) : whole;
  if (/['"\\;*?~{]/.test(word)) return word.replace(/^;$/, "\\;");
  if (chance(0.85) || word.length < 2) return word;
  const at = 1 + below(word.length - 1);
  return pick([
    `'${word}'`,
    `"${word}"`,
    `${word.slice(0, at)}''${word.slice(at)}`,
    `${word.slice(0, at)}\\${word.slice(at)}`,
    `$'${word}'`,
    `${word.slice(0, at)}"${word.slice(at)}"`,
  ]);
}
