import type { ClaimedSystem } from "./claim.ts";
import { VS_CODE } from "./vscode.ts";

export const SYSTEMS: readonly ClaimedSystem[] = [VS_CODE];
