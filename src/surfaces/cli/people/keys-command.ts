import { stateFolder } from "../../../config/layers/state-folder.ts";
import { defaultOrigin } from "../../../core/codes/origin.ts";
import { createSigningKeys } from "../../../runtime/credentials/signing-keys.ts";
import { announceSealing } from "../../../runtime/credentials/upkeep.ts";
import type { PeoplePlace } from "../../../runtime/people/contract.ts";
import type { KeyedSealer } from "../../../runtime/people/sealer.ts";
import { checkSealingKeys, loadSealer, rotateOwnKey, usedSealingKeys } from "../../../runtime/people/sealing-keys.ts";
import { writeLines } from "../../../system/text/escape-text.ts";
import { parseWord } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { KEY_ACTIONS } from "../command-line/options.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { settingPlaces } from "../running/work-place.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { changePeople } from "./own-people.ts";

/** `toolcrib keys [list|rotate]`: the keys that seal what a gateway stores about people, and those it signs with. */
export async function runKeys(input: CommandInput): Promise<number> {
  const [word = "list"] = input.args.operands;
  return parseWord("the action", word, KEY_ACTIONS) === "list" ? list(input) : rotate(input);
}

type OwnPeople = Parameters<Parameters<typeof changePeople>[1]>[0];

async function list(input: CommandInput): Promise<number> {
  return changePeople(input, async ({ place, config }) => {
    const { sealer, isConfigured } = await sealerOf(input, config);
    const keys = await describeKeys(place, sealer, isConfigured);
    const signing = await createSigningKeys({ place, sealer }).list();
    const width = input.io.columns;
    printAnswer(input, { sealing: keys, signing }, () =>
      writeLines([
        ...formatTable(
          COLUMNS,
          keys.map(({ id, state, place: at }) => [id, state, at]),
          width,
        ),
        ...(signing.length === 0
          ? []
          : [
              "",
              ...formatTable(
                SIGNING,
                signing.map((key) => [key.kid, key.algorithm, key.state]),
                width,
              ),
            ]),
      ]),
    );
    return 0;
  });
}

const COLUMNS: readonly Column[] = [
  { heading: "SEALING KEY" },
  { heading: "STATE" },
  { heading: "FROM", shrinks: true },
];
const SIGNING: readonly Column[] = [{ heading: "SIGNING KEY" }, { heading: "KIND" }, { heading: "STATE" }];

/** What the file of this person has is replaced here; what is configured only its owner can replace. */
async function rotate(input: CommandInput): Promise<number> {
  return changePeople(input, async ({ place, config }, note) => {
    const { sealer, isConfigured } = await sealerOf(input, config);
    await checkSealingKeys(place, sealer);
    const next = isConfigured ? sealer : await rotateOwnKey(place, stateFolder(settingPlaces(input.io)));
    const signing = await createSigningKeys({ place, sealer: next }).rotate();
    if (!isConfigured) await announceSealing(place);
    const [id] = next.keys;
    const made = [...(isConfigured ? [] : [`sealing key ${id}`]), ...signing.map((kid) => `signing key ${kid}`)];
    if (made.length > 0) note({ type: "keys.rotated", text: `made on the command line: ${made.join(", ")}` });
    const lines = [
      ...(isConfigured
        ? CONFIGURED
        : [`Key ${id} seals from now on. A running gateway seals everything again with it.`]),
      ...signing.map((kid) => `Key ${kid} is published now, and signs in ten minutes.`),
    ];
    printAnswer(input, { sealing: isConfigured ? null : id, signing }, () => writeLines(lines));
    return isConfigured && signing.length === 0 ? 1 : 0;
  });
}

const CONFIGURED = [
  "The sealing keys are those of gateway.auth.keys, which this command does not change. To replace one while the gateway runs:",
  "  1. Make a key: openssl rand -base64 32",
  "  2. Put it behind the others in gateway.auth.keys on every machine, and restart them one by one: they open with it.",
  "  3. Put it first on every machine in the same way: it seals, and what is stored is sealed again within the hour.",
  '  4. Once "toolcrib keys" says that an old key "can go", take it out.',
];

async function sealerOf(input: CommandInput, { gateway: { auth } }: OwnPeople["config"]) {
  const { keys, origin } = auth ?? { keys: null, origin: defaultOrigin };
  const folder = stateFolder(settingPlaces(input.io));
  const sealer = await loadSealer({ keys: keys ?? [], origin, folder });
  return { sealer, isConfigured: keys !== null && keys.length > 0 };
}

async function describeKeys(place: PeoplePlace, { keys }: KeyedSealer, isConfigured: boolean) {
  const [used, ofPeople] = [await usedSealingKeys(place), await usedSealingKeys(place, true)];
  const stateOf = (id: string, at: number): string => {
    if (at === 0) return "seals";
    if (ofPeople.includes(id)) return "opens, while what is stored is sealed again";
    return used.includes(id) ? "opens bodies of calls in the log" : "can go";
  };
  const placeOf = (at: number): string => (isConfigured ? `gateway.auth.keys[${at}]` : "your state folder");
  const missing = used.filter((id) => !keys.includes(id));
  return [
    ...keys.map((id, at) => ({ id, state: stateOf(id, at), place: placeOf(at) })),
    ...missing.map((id) => ({ id, state: "is missing here, and something is sealed with it", place: "" })),
  ];
}
