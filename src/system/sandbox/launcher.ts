import { HOLD_TRAPS } from "./git-traps.ts";

const PROGRAMS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin";

/** The first of the descriptors with the contents of files that bubblewrap creates. */
export const FIRST_CONTENT = 20;

/**
 * Runs outside the sandbox and starts it. It closes inherited descriptors, puts stand-ins where something protected is
 * absent, counts processes in a control group if root is exempt from the ordinary limit, moves traps aside that the
 * command left for git, and removes its stand-ins once nobody needs them. Every launcher holds a shared lock on the
 * folders while it runs, because removing a stand-in would uncover what another sandbox covers with it.
 *
 * Terminating signals are for the command. Bubblewrap would die of them at once and take the command along, hence the
 * trap.
 *
 * Arguments: `run`, or `tidy` to clean up after a launcher that was killed; filter, git attributes of covered files,
 * folder of control groups, most processes, a file to note earlier traps in; files whose contents bubblewrap copies,
 * folders, stores that cannot change, and stand-ins with kind, path and text of each, all preceded by their number; the
 * number of words that start the sandbox, these, and then what to run in it.
 */
export const LAUNCHER = `set -u
trap '' HUP INT TERM
open=(/proc/self/fd/*)
for fd in "\${open[@]##*/}"; do if ((fd > 2)); then eval "exec $fd>&-"; fi; done
given=\${PATH:-}
export PATH=${PROGRAMS}
stop() { printf 'toolcrib: the sandbox could not be set up: %s\\n' "$1" >&2; exit 125; }
mode=$1 filter=$2 attributes=$3 groups=$4 most=$5 record=$6
shift 6
contents=("\${@:2:$1}")
shift "$(($1 + 1))"
roots=("\${@:2:$1}")
shift "$(($1 + 1))"
stores=("\${@:2:$1}")
shift "$(($1 + 1))"
locks=()
for folder in "\${roots[@]}"; do
  exec {lock}<"$folder" || stop "$folder cannot be opened"
  flock -s -w 10 "$lock" || stop "$folder is locked"
  locks+=("$lock")
done
count=$1
shift
paths=() folders=() made=()
for ((; count > 0; count--)); do
  paths+=("$2")
  if [[ ! -e $2 && ! -L $2 ]]; then
    made+=("$2")
    if [[ $1 == folder ]]; then folders+=("$2"); else printf %s "$3" >"$2" || stop "$2 cannot be protected"; fi
  fi
  shift 3
done
if ((\${#folders[@]})); then mkdir -p -- "\${folders[@]}" || stop "protected folders cannot be covered"; fi
if ((\${#made[@]})); then touch -d @1 -- "\${made[@]}"; fi
inside=("\${@:2:$1}")
shift "$(($1 + 1))"
group=
if [[ $groups != "" ]]; then
  group=$groups/toolcrib-$$
  mkdir "$group" && echo "$most" >"$group/pids.max" || stop "processes cannot be counted"
fi
enter() (
  if [[ $group != "" ]]; then echo "$BASHPID" >"$group/cgroup.procs" || stop "processes cannot be counted"; fi
  for lock in "\${locks[@]}"; do exec {lock}<&-; done
  if [[ $filter != "" ]]; then exec 8< <(printf "$filter"); fi
  if [[ $attributes != "" ]]; then exec 9< <(printf %s "$attributes"); fi
  for at in "\${!contents[@]}"; do eval "exec $((${FIRST_CONTENT} + at))"'<"\${contents[at]}"'; done
  PATH=$given exec "\${inside[@]}" "$@"
)
${HOLD_TRAPS}
status=0
if [[ $mode == run ]]; then
  note_traps
  enter "$@"
  status=$?
fi
hold_traps
for old in "$groups"/toolcrib-*; do
  if [[ $groups != "" && ( $old == "$group" || ! -e /proc/\${old##*-} ) ]]; then rmdir "$old" 2>/dev/null; fi
done
free=yes
for lock in "\${locks[@]}"; do flock -n -x "$lock" || free=no; done
if [[ $free == yes ]] && ((\${#paths[@]})); then find "\${paths[@]}" -maxdepth 0 ! -newermt @1 -delete 2>/dev/null; fi
if ((\${#said[@]})); then printf 'toolcrib: %s\\n' "\${said[@]}" >&2; fi
exit "$status"
`;

/**
 * The first process inside. It lowers the limits, runs the command, and gives processes that carry its last output a
 * moment to pass it on; everything else that is left ends with it.
 */
export const FIRST_PROCESS = `ulimit -c 0 -d "$1" -u "$2" -t "$3" -f "$4" || exit 125
shift 4
(exec "$@")
status=$?
for ((turn = 0; turn < 50; turn++)); do
  left=(/proc/[0-9]*)
  if ((\${#left[@]} < 2)); then break; fi
  sleep 0.01
done
exit "$status"
`;

/** The descriptor of the attributes for git. */
export const ATTRIBUTES_DESCRIPTOR = "9";

/** The descriptor of the filter. */
export const FILTER_DESCRIPTOR = "8";
