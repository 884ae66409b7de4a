"""Ways to use the SDK that its guides teach, in today's spelling."""

import asyncio
import json
import os
from pathlib import Path

from copilot import CopilotClient
from copilot.session import PermissionHandler
from copilot.tools import ToolInvocation, define_tool
from pydantic import BaseModel, Field

PLACE = Path(os.environ["SCENARIO"])


class SearchParams(BaseModel):
    query: str = Field(description="Search query")
    limit: int = Field(default=10, description="Max results")


@define_tool(description="Search the knowledge base")
async def search_kb(params: SearchParams) -> dict:
    return {"query": params.query, "limit": params.limit}


@define_tool(description="Get current time")
async def get_time() -> str:
    return "noon"


@define_tool(description="Get session info")
async def session_info(invocation: ToolInvocation) -> dict:
    return {"session": invocation.session_id}


@define_tool(description="Search with context")
async def search_ctx(params: SearchParams, invocation: ToolInvocation) -> dict:
    return {"query": params.query, "session": invocation.session_id}


@define_tool(name="custom_name", description="Custom tool")
async def my_handler(params: SearchParams) -> dict:
    return {}


@define_tool(description="Fails")
async def fails() -> str:
    raise RuntimeError("DB connection failed at 10.0.0.5:5432")


@define_tool(description="Says nothing")
async def silent() -> None:
    return None


async def run(client, calls, **options):
    file = PLACE / f"seed-{len(list(PLACE.iterdir()))}.json"
    replies = [{"calls": [{"tool": name, "arguments": args}]} for name, args in calls]
    file.write_text(json.dumps({"replies": [*replies, {"text": "done"}]}))
    session = await client.create_session(
        model=f"scripted:{file}", on_permission_request=PermissionHandler.approve_all, **options
    )
    ends = []
    session.on(lambda event: ends.append(event.data) if event.type.value == "tool.execution_complete" else None)
    await session.send_and_wait("Go", timeout=60)
    tools = (await session.rpc.tools.get_current_metadata()).tools
    return session.session_id, ends, tools


async def main():
    async with CopilotClient() as client:
        query = {"query": "x"}
        calls = [("search_kb", query), ("get_time", {}), ("session_info", {}), ("search_ctx", query)]
        calls += [("custom_name", query), ("fails", {}), ("silent", {})]
        tools = [search_kb, get_time, session_info, search_ctx, my_handler, fails, silent]
        session_id, ends, _ = await run(client, calls, tools=tools)
        # What the model reads; the app's events also have the tool's own error.
        said = [end.result.content for end in ends]
        assert json.loads(said[0]) == {"query": "x", "limit": 10}, said
        assert said[1] == "noon" and json.loads(said[2]) == {"session": session_id}, said
        assert json.loads(said[3]) == {"query": "x", "session": session_id} and said[4] == "{}", said
        assert not ends[5].success and "10.0.0.5" not in said[5] and ends[6].success, said

        server = {"type": "local", "command": os.environ["NODE"], "args": [os.environ["ECHO_SERVER"]], "tools": ["echo"]}
        _, ends, tools = await run(client, [("echo-echo", {"text": "hi"})], mcp_servers={"echo": server})
        assert ends[0].result.content == "hi"
        found = [tool for tool in tools if tool.mcp_server_name == "echo"]
        assert [(tool.name, tool.namespaced_name) for tool in found] == [("echo-echo", "echo/echo")], found

        _, _, tools = await run(client, [], tools=[search_kb], available_tools=["view", "search_kb"])
        assert sorted(tool.name for tool in tools) == ["search_kb", "view"], tools
        _, _, tools = await run(client, [], available_tools=["view", "grep"], excluded_tools=["grep"])
        assert [tool.name for tool in tools] == ["view"], tools
    print("definitions, signatures, results, errors, servers, filters, lists of tools")


asyncio.run(main())
