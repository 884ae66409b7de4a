"""What an app of any version of the Python package relies on."""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from copilot import CopilotClient
from copilot.tools import define_tool
from pydantic import BaseModel

try:
    from copilot import RuntimeConnection
    from copilot.rpc import PermissionDecisionApproveOnce, PermissionDecisionUserNotAvailable

    def client_at(address):
        return CopilotClient(connection=RuntimeConnection.for_uri(address))
except ImportError:  # before 1.0
    from copilot import ExternalServerConfig
    from copilot.session import PermissionRequestResult

    def client_at(address):
        return CopilotClient(ExternalServerConfig(address))

    def PermissionDecisionApproveOnce():
        return PermissionRequestResult("approve-once")

    def PermissionDecisionUserNotAvailable():
        return PermissionRequestResult("user-not-available")

PLACE = Path(os.environ["SCENARIO"])
NODE = os.environ["NODE"]


class City(BaseModel):
    city: str = ""


def call(tool, **arguments):
    return {"calls": [{"tool": tool, "arguments": arguments}]}


def script(name, replies, agents=None):
    file = PLACE / f"{name}.json"
    file.write_text(json.dumps({"replies": replies, "agents": agents or {}}))
    return f"scripted:{file}"


def approve(request, invocation):
    return PermissionDecisionApproveOnce()


passed, cities, ends = [], [], []
state = {"fine": True}


@define_tool(name="get_weather", description="The weather")
async def get_weather(params: City) -> str:
    cities.append(params.city)
    return "warm"


def is_kind(request, kind):
    return getattr(request.kind, "value", request.kind) == kind


def decide(request, invocation):
    return approve(request, invocation) if state["fine"] or is_kind(request, "mcp") else PermissionDecisionUserNotAvailable()


async def change(hook_input, invocation):
    return {"modifiedArgs": {"city": "Lyon"}} if hook_input["toolArgs"].get("city") == "Paris" else None


def note(event):
    if event.type.value == "tool.execution_complete" and getattr(event, "agent_id", None) is None:
        ends.append(event.data)


async def one_session():
    (PLACE / "skills" / "greet").mkdir(parents=True, exist_ok=True)
    (PLACE / "skills" / "greet" / "SKILL.md").write_text("---\nname: greet\ndescription: Greets\n---\nSay hello.\n")
    task = {"agent_type": "helper", "name": "helper", "description": "Help", "prompt": "Help", "mode": "sync"}
    replies = [
        *[call("get_weather", city="Paris"), {"text": "allowed"}],
        *[call("get_weather", city="Rome"), call("echo-echo", text="hi"), {"text": "server"}],
        *[call("skill", skill="greet"), {"text": "skilled"}, call("task", **task), {"text": "helped"}],
    ]
    async with CopilotClient() as client:
        session = await client.create_session(
            model=script("all", replies, {"helper": [{"text": "I help"}]}),
            tools=[get_weather],
            on_permission_request=decide,
            hooks={"on_pre_tool_use": change},
            mcp_servers={"echo": {"type": "local", "command": NODE, "args": [os.environ["ECHO_SERVER"]], "tools": ["*"]}},
            skill_directories=[str(PLACE / "skills")],
            custom_agents=[{"name": "helper", "description": "Helps", "prompt": "You help."}],
        )
        session.on(note)

        async def say(prompt):
            return (await session.send_and_wait(prompt, timeout=60)).data.content

        passed.append("create")
        assert await say("one") == "allowed"
        assert cities == ["Lyon"] and ends[0].result.content == "warm", (cities, ends)
        passed.append("custom tool, permission allowed, hook that changes arguments")
        state["fine"] = False
        assert await say("two") == "server"
        assert cities == ["Lyon"] and not ends[1].success and ends[2].result.content == "hi", ends
        passed.append("permission denied, MCP tool")
        assert await say("three") == "skilled"
        assert '"greet" loaded' in ends[3].result.content
        passed.append("skill")
        assert await say("four") == "helped"
        assert "I help" in ends[4].result.content
        passed.append("custom agent")
        return session.session_id


async def later(session_id):
    async with CopilotClient() as client:
        resumed = await client.resume_session(
            session_id, model=script("resumed", [{"text": "again"}]), on_permission_request=approve
        )
        assert (await resumed.send_and_wait("five", timeout=60)).data.content == "again"
        events = await (resumed.get_events if hasattr(resumed, "get_events") else resumed.get_messages)()
        assert len([event for event in events if event.type.value == "user.message"]) == 5
        passed.append("resume in a new process")
        begun, idle = asyncio.Event(), asyncio.Event()

        @define_tool(name="get_weather", description="The weather")
        async def never(params: City) -> str:
            begun.set()
            await asyncio.Event().wait()

        slow = await client.create_session(
            model=script("slow", [call("get_weather"), {"text": "late"}]), tools=[never], on_permission_request=approve
        )
        slow.on(lambda event: idle.set() if event.type.value == "session.idle" else None)
        await slow.send("six")
        await begun.wait()
        await slow.abort()
        await idle.wait()
        passed.append("abort")


async def together():
    server = subprocess.Popen([NODE, os.environ["COPILOT_CLI_PATH"], "rpc", "--port", "0"], stdout=subprocess.PIPE)
    port = re.search(rb"port (\d+)", server.stdout.readline()).group(1).decode()

    def plain(tool):
        @define_tool(name=tool, description=tool)
        async def run(params: City) -> str:
            return f"by {tool}"

        return run

    replies = [{"calls": [{"tool": "first"}, {"tool": "second"}]}, {"text": "both"}]
    async with (
        client_at(f"localhost:{port}") as one,
        client_at(f"localhost:{port}") as two,
    ):
        shared = await one.create_session(
            model=script("shared", replies), tools=[plain("first")], on_permission_request=approve
        )
        joined = await two.resume_session(shared.session_id, tools=[plain("second")], on_permission_request=approve)
        ends.clear()
        joined.on(note)
        assert (await shared.send_and_wait("seven", timeout=60)).data.content == "both"
        assert sorted(end.result.content for end in ends) == ["by first", "by second"], ends
    server.kill()
    passed.append("two clients on one session")


async def main():
    await later(await one_session())
    await together()
    print(", ".join(passed))


asyncio.run(main())
