"""Runs apps of the table with the Python package: one line of JSON in for each, one out."""

import asyncio
import json
import os
import re
import sys
import traceback

from copilot import CopilotClient
from copilot.rpc import ModeSetRequest, PermissionDecisionApproveOnce, PermissionDecisionReject
from copilot.tools import Tool, ToolResult

ANSWERS = {
    "approve": lambda: PermissionDecisionApproveOnce(),
    "reject": lambda: PermissionDecisionReject(feedback="not today"),
    # What only the TypeScript package lets an app say, in the words that this one has.
    "allow-by-decision": lambda: PermissionDecisionApproveOnce(),
    "deny-by-decision": lambda: PermissionDecisionReject(feedback="not today"),
}


def snake(text):
    return re.sub(r"(?<!^)([A-Z])", r"_\1", text).lower()


def to_option(name, value):
    if name == "customAgents":
        return [{snake(key): part for key, part in agent.items()} for agent in value]
    if name in ("defaultAgent", "toolSearch", "infiniteSessions"):
        return {snake(key): part for key, part in value.items()}
    if name == "mcpServers":
        return {server: {snake(key): part for key, part in entry.items()} for server, entry in value.items()}
    return value


def to_tool(about, seen):
    name = about["name"]

    async def handler(invocation):
        seen["calls"].append({"name": name, "arguments": invocation.arguments})
        if "throws" in about:
            raise RuntimeError(about["throws"])
        returns = about.get("returns")
        if isinstance(returns, dict) and "textResultForLlm" in returns:
            return ToolResult(**{snake(key): value for key, value in returns.items()})
        text = "" if returns is None else returns if isinstance(returns, str) else json.dumps(returns, separators=(",", ":"))
        return ToolResult(text_result_for_llm=text)

    return Tool(
        name=name,
        description=about.get("description", name),
        parameters=about.get("parameters", {"type": "object"}),
        skip_permission=about.get("skipPermission", False),
        overrides_built_in_tool=about.get("overridesBuiltInTool", False),
        handler=handler,
    )


async def say(session, act, cwd):
    attachments = [{**one, "path": os.path.join(cwd, one["path"])} if "path" in one else one for one in act.get("attachments", [])]
    try:
        reply = await session.send_and_wait(act["send"], **({"attachments": attachments} if attachments else {}))
        return None if reply is None else reply.data.content
    except Exception as error:  # The table looks at every kind.
        return {"error": str(error)}


async def run(client, app, place, seen):
    permission = app.get("permission", "approve")
    config = {
        "model": app.get("model", "claude-sonnet-4.5"),
        "working_directory": place["cwd"],
        "provider": {"type": "openai", "base_url": place["modelUrl"], "api_key": "key-of-the-app"},
        **{snake(name): to_option(name, value) for name, value in app.get("options", {}).items()},
        "tools": [to_tool(tool, seen) for tool in app.get("tools", [])],
        "on_event": lambda event: seen["events"].append(event.to_dict()),
    }
    if permission is not None:

        def decide(request, invocation):
            seen["questions"].append(request.to_dict())
            return ANSWERS[permission]()

        config["on_permission_request"] = decide
    session = await client.create_session(**config)
    for act in app["acts"]:
        if "send" in act:
            seen["replies"].append(await say(session, act, place["cwd"]))
        elif "setModel" in act:
            await session.set_model(act["setModel"])
        elif "setMode" in act:
            await session.rpc.mode.set(ModeSetRequest.from_dict({"mode": act["setMode"]}))
        else:
            identity = session.session_id
            await session.disconnect()
            session = await client.resume_session(identity, **config)
    seen["history"] = [event.to_dict() for event in await session.get_events()]
    await session.disconnect()


async def main():
    async with CopilotClient() as client:
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            given = json.loads(line)
            seen = {"replies": [], "events": [], "history": [], "calls": [], "questions": []}
            try:
                await run(client, given["app"], given["place"], seen)
            except Exception:
                seen["failure"] = traceback.format_exc()
            print(json.dumps(seen, default=str), flush=True)


asyncio.run(main())
