/** The suffix of a file that was moved aside; git runs nothing with such a name. */
export const MOVED_ASIDE = /\.held\.[0-9]+$/;

/** Settings of a repository that make git run nothing. Any other setting might. */
const SETTINGS = [
  "([#;].*)?",
  String.raw`\[(core|user|init|extensions|(remote|branch|submodule) "[^"\]*")\]`,
  `(${[
    ..."repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks".split(" "),
    ..."autocrlf eol sparsecheckout sparsecheckoutcone objectformat refstorage worktreeconfig".split(" "),
    ..."name email defaultbranch url fetch tagopt remote merge rebase active branch".split(" "),
  ].join("|")})[[:space:]]*(=.*)?`,
];

/** Steps of an unfinished rebase that run no program. */
const STEPS = [
  "([#;].*)?",
  `(${"p pick r reword e edit s squash f fixup d drop l label t reset m merge u update-ref b break noop".split(" ").join("|")})([[:space:]].*)?`,
];

/** The most bytes of a settings file that are examined. */
const LARGEST = 2 ** 20;

const STRATEGIES = "(ort|recursive|resolve|octopus|ours|subtree)";

/** Options of an unfinished cherry-pick. Git runs `git-merge-…` for an unknown strategy. */
const PICK_OPTIONS = [
  String.raw`\[options\]`,
  `strategy[[:space:]]*=[[:space:]]*${STRATEGIES}`,
  "(no-commit|allow-.*|drop-.*|keep-.*|edit|signoff|record-origin|mainline|gpg-sign|strategy-option|default-.*)[[:space:]]*=.*",
];

/** A pattern for `grep` that every line must match. */
function toPattern(lines: readonly string[]): string {
  return `^[[:space:]]*(${lines.join("|")})[[:space:]]*$`;
}

/**
 * Looks for traps: what makes git run something when it finds a repository. It judges every repository in the given
 * folders; of those whose settings cannot be changed, only unfinished operations. It runs outside the sandbox and only
 * reads. Prints path and line of each trap, terminated by NUL.
 *
 * Arguments: whether `node_modules` is searched, number of folders, the folders, and stores that cannot change.
 */
const LOOK_FOR_TRAPS = `set -u
shopt -s nullglob dotglob extglob
wide=$1 count=$2
shift 2
folders=("\${@:1:count}")
shift "$count"
guarded=("$@")
declare -A judged=()
text=
# What git makes of a file that names a folder: all of it up to a NUL, without the ends of lines.
read_name() {
  text=
  if [[ ! -f $1 ]]; then return 1; fi
  IFS= read -r -d '' -n 5000 text <"$1"
  while [[ $text == *[$'\\n\\r'] ]]; do text=\${text%?}; done
  [[ $text != "" ]]
}
is_guarded() {
  local one
  for one in "\${guarded[@]}"; do if [[ $1 -ef $one ]]; then return 0; fi; done
  return 1
}
spring() { printf '%s\\0%s\\0' "$1" "$2"; }
lines() {
  local line
  if [[ ! -e $1 ]]; then return; fi
  if [[ ! -f $1 || $(stat -L -c %s -- "$1") -gt ${LARGEST} ]]; then spring "$1" "more than can be read"; return; fi
  while IFS= read -r line; do spring "$1" "$line"; done < <(LC_ALL=C grep -aivE -- "$2" "$1" | tr -d '\\0')
}
judge() {
  local store one
  if ! cd -P -- "$1" 2>/dev/null; then return; fi
  store=$PWD
  if [[ \${judged["$store"]:-} != "" ]]; then return; fi
  judged["$store"]=1
  for one in "\${folders[@]}"; do if [[ $store/ == "$one"/* ]]; then break; fi; one=; done
  if [[ $one == "" ]]; then return; fi
  if ! is_guarded "$store"; then
    lines "$store/config" '${toPattern(SETTINGS)}'
    lines "$store/config.worktree" '${toPattern(SETTINGS)}'
    if [[ -L $store/hooks ]]; then spring "$store/hooks" "a link"; fi
    for one in "$store"/hooks/*; do
      if [[ $one != *.sample && ! $one =~ ${MOVED_ASIDE.source} && ! -L $store/hooks ]]; then
        spring "$one" "$(stat -c '%i %s %Z' -- "$one")"
      fi
    done
    if read_name "$store/commondir"; then
      if [[ $text == /* ]]; then judge "$text"; else judge "$store/$text"; fi
    fi
  fi
  lines "$store/rebase-merge/git-rebase-todo" '${toPattern(STEPS)}'
  lines "$store/rebase-merge/strategy" '${toPattern([STRATEGIES])}'
  lines "$store/sequencer/opts" '${toPattern(PICK_OPTIONS)}'
  for one in "$store"/worktrees/*; do judge "$one"; done
}
passed=(-name node_modules -prune -o)
if [[ $wide == wide ]]; then passed=(); fi
while IFS= read -r -d '' found; do
  tree=\${found%/*}
  if [[ $found == */HEAD ]]; then
    if [[ -d $tree/objects && -d $tree/refs || -e $tree/commondir ]]; then judge "$tree"; fi
  elif [[ -d $found ]]; then
    judge "$found"
  elif read_name "$found" && [[ $text == "gitdir: "* ]]; then
    text=\${text#gitdir: }
    if [[ $text == /* ]]; then judge "$text"; else judge "$tree/$text"; fi
  fi
done < <(find "\${folders[@]}" "\${passed[@]}" -iname .git -prune -print0 -o -name HEAD -print0 2>/dev/null)
`;

/**
 * Moves traps aside by renaming them. It runs in the sandbox, where a path cannot mean anything outside, even if a
 * process changes folders at the same time. Missing permissions were removed by a command.
 *
 * Arguments: a number for the names, and the paths.
 */
const PUT_ASIDE = `number=$1
shift
for path; do
  above=
  IFS=/ read -r -d '' -a parts < <(printf '%s\\0' "\${path%/*}")
  for part in "\${parts[@]}"; do
    above+=$part/
    if [[ ! -r $above || ! -w $above || ! -x $above ]]; then chmod u+rwx -- "$above"; fi
  done
  mv -fT -- "$path" "$path.held.$number"
done
`;

/** Seconds before a command, when nothing can have been made to slow this down, and after it. */
const [SHORT, LONG] = [3, 30];

/** Functions of the launcher: traps from before the command stay, and new ones are moved aside. */
export const HOLD_TRAPS = `said=()
look() {
  timeout -s KILL "$1" "$BASH" --norc -p -c ${quote(LOOK_FOR_TRAPS)} toolcrib "$2" "\${#roots[@]}" "\${roots[@]}" "\${stores[@]}"
}
note_traps() {
  if [[ $record == "" ]]; then return; fi
  (umask 077; set -C; look ${SHORT} narrow >"$record") 2>/dev/null && printf whole >>"$record"
}
hold_traps() {
  if [[ $record == "" ]]; then return; fi
  local -A had=() found=()
  local path= line at new=()
  if [[ -e $record ]]; then
    while IFS= read -r -d '' path && IFS= read -r -d '' line; do had["$path"$'\\n'"$line"]=1; done <"$record"
    rm -f -- "$record"
  fi
  # What stands behind the last NUL.
  if [[ $path == whole ]]; then
    while IFS= read -r -d '' path && IFS= read -r -d '' line; do
      if [[ \${had["$path"$'\\n'"$line"]:-} == "" && \${found["$path"]+x} == "" ]]; then
        found["$path"]=$line
        new+=("$path")
      fi
    done < <(look ${LONG} wide 2>/dev/null)
    wait "$!" || said+=("not all of the workspace could be searched for what git outside the sandbox would run; look before you use git there")
  elif [[ $mode == run ]]; then
    said+=("the workspace could not be searched for what git outside the sandbox would run")
  fi
  for ((at = 0; at < \${#new[@]}; at += 100)); do
    enter "$BASH" --norc -p -c ${quote(PUT_ASIDE)} toolcrib "$$" "\${new[@]:at:100}" </dev/null >/dev/null 2>&1
  done
  for path in "\${new[@]}"; do
    printf -v line '%q says %q, which git outside the sandbox would run' "\${path#"\${roots[0]}"/}" "\${found["$path"]:0:200}"
    if [[ -e $path || -L $path ]]; then line+="; remove it"; else line+=". It is now called \${path##*/}.held.$$"; fi
    said+=("$line")
  done
}`;

/** Quotes a word of a bash script. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
