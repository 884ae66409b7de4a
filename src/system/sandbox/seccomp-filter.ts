import { Buffer } from "node:buffer";

type Table = Readonly<Record<string, number>>;

/** From 424 on the numbers are the same on all processors. */
const COMMON: Table = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  mount_setattr: 442,
  quotactl_fd: 443,
  open_tree_attr: 467,
};

interface Processor {
  readonly audit: number;
  readonly calls: { readonly clone: number; readonly clone3: number; readonly ioctl: number; readonly socket: number };
  /** Calls that no command needs and that reach what namespaces do not separate, or leave namespaces. */
  readonly refused: Table;
  /** Calls that set the permissions of a file, and the index of that argument. */
  readonly modes: readonly (readonly [call: number, mode: number])[];
  /** Calls that open files: their flags say whether there are permissions to set. */
  readonly opens: readonly (readonly [call: number, flags: number, mode: number])[];
  /** Numbers from here on belong to a second table that would bypass the first. */
  readonly otherTable: number | null;
}

const PROCESSORS: ReadonlyMap<string, Processor> = new Map([
  [
    "x64",
    {
      audit: 0xc000003e,
      calls: { clone: 56, clone3: 435, ioctl: 16, socket: 41 },
      refused: {
        ...COMMON,
        syslog: 103,
        vhangup: 153,
        pivot_root: 155,
        chroot: 161,
        acct: 163,
        settimeofday: 164,
        mount: 165,
        umount2: 166,
        swapon: 167,
        swapoff: 168,
        reboot: 169,
        sethostname: 170,
        setdomainname: 171,
        iopl: 172,
        ioperm: 173,
        init_module: 175,
        delete_module: 176,
        quotactl: 179,
        clock_settime: 227,
        kexec_load: 246,
        add_key: 248,
        request_key: 249,
        keyctl: 250,
        unshare: 272,
        perf_event_open: 298,
        open_by_handle_at: 304,
        setns: 308,
        finit_module: 313,
        kexec_file_load: 320,
        bpf: 321,
        userfaultfd: 323,
      },
      modes: [
        [90, 1],
        [91, 1],
        [268, 2],
        [452, 2],
        [85, 1],
        [133, 1],
        [259, 2],
      ],
      opens: [
        [2, 1, 2],
        [257, 2, 3],
      ],
      otherTable: 0x40000000,
    },
  ],
  [
    "arm64",
    {
      audit: 0xc00000b7,
      calls: { clone: 220, clone3: 435, ioctl: 29, socket: 198 },
      refused: {
        ...COMMON,
        umount2: 39,
        mount: 40,
        pivot_root: 41,
        chroot: 51,
        vhangup: 58,
        quotactl: 60,
        acct: 89,
        unshare: 97,
        kexec_load: 104,
        init_module: 105,
        delete_module: 106,
        clock_settime: 112,
        syslog: 116,
        reboot: 142,
        sethostname: 161,
        setdomainname: 162,
        settimeofday: 170,
        add_key: 217,
        request_key: 218,
        keyctl: 219,
        swapon: 224,
        swapoff: 225,
        perf_event_open: 241,
        open_by_handle_at: 265,
        setns: 268,
        finit_module: 273,
        bpf: 280,
        userfaultfd: 282,
        kexec_file_load: 294,
      },
      modes: [
        [52, 1],
        [53, 2],
        [452, 2],
        [33, 2],
      ],
      opens: [[56, 2, 3]],
      otherTable: null,
    },
  ],
]);

/** Local, IPv4, IPv6 and netlink. Others, such as sockets between a virtual machine and its host, ignore namespaces. */
const FAMILIES = [1, 2, 10, 16];
/** Requests that type into a terminal for its user: TIOCSTI and TIOCLINUX. */
const TERMINAL_REQUESTS = [0x5412, 0x541c];
const NEW_USER_NAMESPACE = 0x10000000;
/** A setuid or setgid file would keep its power outside, for anyone who finds it. */
const RUNS_AS_OWNER = 0o6000;
/** O_CREAT and the bits of O_TMPFILE that are its own. */
const CREATES = 0x400040;
const OPENAT2 = 437;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_FROM = 0x35;
const JUMP_BITS = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const NOT_PERMITTED = 0x00050000 | 1;
const NO_SUCH_CALL = 0x00050000 | 38;
const NO_SUCH_FAMILY = 0x00050000 | 97;

const CALL = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const ARGUMENT_SIZE = 8;

type Step = readonly [code: number, value: number, ifTrue: number, ifFalse: number];

const load = (offset: number): Step => [LOAD, offset, 0, 0];
const loadArgument = (index: number): Step => load(FIRST_ARGUMENT + index * ARGUMENT_SIZE);
const answer = (value: number): Step => [RETURN, value, 0, 0];
const when = (jump: number, value: number, steps: readonly Step[]): readonly Step[] => [
  [jump, value, 0, steps.length],
  ...steps,
];

const refuseMode = (mode: number): readonly Step[] => [
  loadArgument(mode),
  ...when(JUMP_BITS, RUNS_AS_OWNER, [answer(NOT_PERMITTED)]),
  answer(ALLOW),
];

/** The system call filter for a processor in the kernel's format; null for one without a table. */
export function buildSeccompFilter(arch: string): Uint8Array | null {
  const processor = PROCESSORS.get(arch);
  if (processor === undefined) return null;
  const { audit, calls, refused, modes, opens, otherTable } = processor;
  const steps: readonly Step[] = [
    load(ARCHITECTURE),
    [JUMP_EQUAL, audit, 1, 0],
    answer(NO_SUCH_CALL),
    load(CALL),
    ...(otherTable === null ? [] : when(JUMP_FROM, otherTable, [answer(NO_SUCH_CALL)])),
    ...Object.values(refused).flatMap((call) => when(JUMP_EQUAL, call, [answer(NOT_PERMITTED)])),
    // Their flags are in memory, where a filter cannot look; programs fall back to `clone` and `openat`.
    ...[calls.clone3, OPENAT2].flatMap((call) => when(JUMP_EQUAL, call, [answer(NO_SUCH_CALL)])),
    ...modes.flatMap(([call, mode]) => when(JUMP_EQUAL, call, refuseMode(mode))),
    ...opens.flatMap(([call, flags, mode]) =>
      when(JUMP_EQUAL, call, [loadArgument(flags), ...when(JUMP_BITS, CREATES, refuseMode(mode)), answer(ALLOW)]),
    ),
    ...when(JUMP_EQUAL, calls.clone, [
      loadArgument(0),
      ...when(JUMP_BITS, NEW_USER_NAMESPACE, [answer(NOT_PERMITTED)]),
      answer(ALLOW),
    ]),
    ...when(JUMP_EQUAL, calls.ioctl, [
      loadArgument(1),
      ...TERMINAL_REQUESTS.flatMap((request) => when(JUMP_EQUAL, request, [answer(NOT_PERMITTED)])),
      answer(ALLOW),
    ]),
    ...when(JUMP_EQUAL, calls.socket, [
      loadArgument(0),
      ...FAMILIES.flatMap((family) => when(JUMP_EQUAL, family, [answer(ALLOW)])),
      answer(NO_SUCH_FAMILY),
    ]),
    answer(ALLOW),
  ];
  return encode(steps);
}

const STEP_SIZE = 8;

function encode(steps: readonly Step[]): Uint8Array {
  const bytes = Buffer.alloc(steps.length * STEP_SIZE);
  for (const [index, [code, value, ifTrue, ifFalse]] of steps.entries()) {
    const at = index * STEP_SIZE;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(ifTrue, at + 2);
    bytes.writeUInt8(ifFalse, at + 3);
    bytes.writeUInt32LE(value >>> 0, at + 4);
  }
  return bytes;
}
