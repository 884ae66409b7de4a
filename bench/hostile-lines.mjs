// Command lines that somebody made to be slow to judge, each of up to 64 KB.

const LENGTH = 65_536;

/**
 * @param {(at: number) => string} unit
 * @param {string} [before]
 * @param {string} [behind]
 */
function filled(unit, before = "", behind = "") {
  let text = before;
  for (let at = 0; ; at++) {
    const piece = unit(at);
    if (text.length + piece.length + behind.length > LENGTH) return text + behind;
    text += piece;
  }
}

/** @type {Readonly<Record<string, string>>} */
export const HOSTILE_LINES = {
  "many cd, then many cat": `${"cd a;".repeat(30)}${"cat x;".repeat(1_200)}`,
  "other folders, then other files": filled((at) => (at < 30 ? `cd a${at};` : `cat x${at} y${at};`)),
  files: filled((at) => `f${at} `, "cat "),
  "files far below": filled((at) => `${"a/".repeat(40)}f${at} `, "cat "),
  "one deep path": filled(() => "a/", "cat "),
  "the way up": filled(() => "../", "cat "),
  tildes: filled(() => "~/a ", "cat "),
  commands: filled((at) => `ls f${at};`),
  words: filled(() => "a ", "x "),
  options: filled(() => "-e a ", "grep "),
  "a long cluster": filled(() => "i", "grep -"),
  globs: filled((at) => `*a${at}* `, "cat "),
  "one glob": filled(() => "*a", "cat "),
  "brackets of patterns": filled(() => "["),
  "alternatives of patterns": filled(() => "@(a|", "ls "),
  braces: filled(() => "echo {a,b}{c,d}{e,f}{g,h}{i,j}{k,l} "),
  "braces in braces": filled(() => "echo {a,{b,{c,{d,{e,{f,{g,{h,i}}}}}}}};"),
  "open braces": filled(() => "{", "echo "),
  "values put into words": filled(() => "find . $x;", "x='-exec rm {} ;';"),
  substitutions: filled((at) => `echo $(cat f${at});`),
  "nested substitutions": filled(() => `echo ${"$(echo ".repeat(20)}x${")".repeat(20)};`),
  "open substitutions": filled(() => "$(", "echo "),
  "open arithmetic": filled(() => "$((", "echo "),
  "open parameters": filled(() => "${x:-", "echo "),
  backquotes: filled(() => "`"),
  quotes: filled(() => `'"`),
  parentheses: `${"(".repeat(30_000)}ls${")".repeat(30_000)}`,
  "here-documents": filled((at) => `cat <<E${at}\nrm x\nE${at}\n`),
  "here-documents of one line": filled(() => "cat <<A <<B;"),
  "joined lines": filled(() => "a\\\n", "echo "),
  wrappers: filled(() => "env nice timeout 5 sudo -X ls;"),
  "wrappers in wrappers": filled(() => "sudo -X "),
  "eval in eval": filled(() => "eval "),
  "shells in shells": filled((at) => `sh -c 'sh -c "cat f${at}"';`),
  "a long text for a shell": filled((at) => `cat f${at};`, "sh -c '", "'"),
  "printed into shells": filled((at) => `echo 'ls f${at}' | sh;`),
  "one text into many shells": filled(() => " | sh", `echo '${"rm x;".repeat(2_000)}' | tee`),
  "quoted text that arithmetic may run": filled((at) => `echo 'a[$(ls f${at})]';`, "echo $((_));"),
  "arms of a case": filled((at) => `a${at}) ls;; `, "case x in ", "esac"),
  conditions: filled(() => "[[ a == b ]] && ls;"),
  redirections: filled((at) => `>f${at} `, "ls "),
  "commands that xargs runs": filled(() => "ls | xargs -I{} cat {};"),
  "commands that find runs": filled(() => "-exec cat {} ; ", "find . "),
  "code of other languages": filled((at) => `python3 -c "system('cat f${at}')";`),
  "scripts of sed": filled((at) => `sed 's/a/b/;s/c/d/' f${at};`),
  "git with options": filled((at) => `git -C d log -- f${at};`),
  addresses: filled((at) => `curl -s http://h${at}.test/;`),
  pipes: filled((at) => `ls f${at} | `, "", "cat"),
  "words that only the shell knows": filled(() => "$x ", "cat "),
  "a cluster that nobody knows": filled(() => "Q", "grep -"),
  "a value joined to its option": filled(() => "x", "gcc -I"),
  "old arithmetic": filled(() => "$[1+", "echo "),
  "closed and never opened": filled(() => ")"),
  "texts that no grammar accepts": filled(() => `sh -c '${")".repeat(900)}';`),
  "processes in words": filled(() => ">(sh) ", "echo 'rm x' | tee "),
  "commands in the background": filled(() => "ls&"),
  tests: filled(() => "-o -f a ", "test -f a "),
  "assignments without end": filled((at) => `x${at}='rm y';`),
  "ranges of braces": filled(() => "{1..60}x=7; ", "git "),
  "braces behind each other": filled(() => "{a,b}{a,b}{a,b}${!x} cd a;"),
  "arrays as operands": filled(() => '"${a[@]}" ', "cat "),
  "folders, then substitutions": filled(() => "$(ls) ", "cd a;".repeat(30)),
  "unknown programs": filled((at) => `foo${at} a b c d e f g h;`),
  "programs that may start anywhere": filled(() => "f(){ ls; };tmux a b c d e f 'ls -l';"),
  "parentheses around words": filled(() => "a ", "(".repeat(190)),
  "parentheses around backquotes": filled(() => "`", "(".repeat(190)),
  "quotes in old arithmetic": filled(() => `$["`),
  "texts for xargs": filled(() => "<<E xargs "),
  "functions without a body": filled(() => "f() "),
};

const PIECES = [
  ..."( (( $( $(( ${x:- ${x $[ ` ' \" { {a,b} {1..9} [ [[ <( >( <<E <<< \\ \\\n \n ; | & && ! # * ? ~ a/ ../ @(a|".split(
    " ",
  ),
  ...") } ] )) ;; $' $\"".split(" "),
  ..."a ,$x ,x=1 ,x='rm y' ,eval ,sudo -X ,xargs ,find . -exec ,sh -c ',case x in ,esac ,a) ,for i in ,do ,done ,if ".split(
    ",",
  ),
  ..."time ,function f ,f() ,cat x;,cd a;,echo 'a[$(ls)]';,[[ a -eq ,declare -i x=,export ,printf '%s' ,| sh ".split(
    ",",
  ),
  ..."env ,tee ,git -C d ,awk '{ ,sed 's/a/b/' ,python3 -c \",-e a ".split(","),
];

/**
 * Lines of up to four parts, each of which repeats a few pieces: what nobody thought of.
 * @param {number} seed
 * @param {number} count
 */
export function randomHostileLines(seed, count) {
  let state = Math.imul(seed, 0x9e3779b1) || 1;
  /** @param {number} below */
  const pick = (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  return Array.from({ length: count }, () => {
    const length = pick(3) === 0 ? 9_900 : LENGTH;
    let line = "";
    for (let left = pick(4); left >= 0; left--) {
      const unit = Array.from({ length: 1 + pick(3) }, () => PIECES[pick(PIECES.length)]).join("");
      const times = left === 0 ? LENGTH : ([1, 20, 190, 1_000][pick(4)] ?? 1);
      line += unit.repeat(Math.min(times, Math.floor((length - line.length) / unit.length)));
    }
    return line;
  });
}

/** Rules of every kind that a long list of them may hold. */
export const MANY_RULES = {
  files: { deny: Array.from({ length: 150 }, (_, at) => `Read(**/kept${at}/*.key)`), allow: [] },
  commands: {
    deny: Array.from({ length: 150 }, (_, at) => `Bash(tool${at} sub:*)`),
    allow: Array.from({ length: 150 }, (_, at) => `Bash(other${at} sub:*)`),
  },
  patterns: { deny: Array.from({ length: 20 }, (_, at) => `Bash(/tool${at} -r[f]*x/)`), allow: [] },
};
