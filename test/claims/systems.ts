import type { ClaimedSystem } from "./claim.ts";
import { CLAUDE_CODE } from "./claude-code.ts";
import { COPILOT_CLI } from "./copilot-cli.ts";
import { COPILOT_SDK } from "./copilot-sdk.ts";
import { DEERFLOW } from "./deerflow.ts";
import { VS_CODE } from "./vscode.ts";

export const SYSTEMS: readonly ClaimedSystem[] = [COPILOT_CLI, CLAUDE_CODE, COPILOT_SDK, VS_CODE, DEERFLOW];
