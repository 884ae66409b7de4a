"""A help desk: a tool, an agent, a server, a skill, a hook and a permission handler."""

import asyncio
import os
import sys
from pathlib import Path

from copilot import CopilotClient
from copilot.rpc import PermissionDecisionApproveOnce, PermissionDecisionReject
from copilot.tools import define_tool
from pydantic import BaseModel, Field

HERE = Path(__file__).parent


class Order(BaseModel):
    number: str = Field(description="Order number, such as A-17")


class Refund(Order):
    amount: float = Field(description="Amount in euros")


@define_tool(description="What an order contains and when it was sent")
async def find_order(params: Order) -> dict:
    return {"number": params.number, "item": "lamp", "sent": "2026-11-02", "paid": 35}


@define_tool(description="Pays money back for an order")
async def refund(params: Refund) -> str:
    return f"{params.amount} euros go back for {params.number}"


def decide(request, invocation):
    """Small refunds are fine, large ones are for people."""
    if request.kind == "custom-tool" and request.tool_name == "refund" and request.args["amount"] > 50:
        return PermissionDecisionReject(feedback="refunds over 50 euros need a person")
    return PermissionDecisionApproveOnce()


async def tidy(hook_input, invocation):
    """Order numbers come in any spelling."""
    args = hook_input["toolArgs"]
    if "number" in args:
        return {"modifiedArgs": {**args, "number": args["number"].strip().upper()}}


async def main():
    async with CopilotClient() as client:
        session = await client.create_session(
            model=os.environ.get("MODEL", "anthropic/claude-sonnet-4-5"),
            on_permission_request=decide,
            tools=[find_order, refund],
            hooks={"on_pre_tool_use": tidy},
            mcp_servers={"stock": {"command": sys.executable, "args": [str(HERE / "stock_server.py")], "tools": ["*"]}},
            skill_directories=[str(HERE / "skills")],
            custom_agents=[
                {
                    "name": "writer",
                    "description": "Writes letters to customers",
                    "prompt": "Write short, friendly letters.",
                    "tools": ["find_order"],
                }
            ],
        )

        def show(event):
            if event.type.value == "tool.execution_complete":
                outcome = event.data.result.content if event.data.success else event.data.error.message
                print(f"- {outcome}")

        session.on(show)
        answer = await session.send_and_wait("Order a-17 came broken. Refund it, check the stock and write a letter.")
        print(answer.data.content)


asyncio.run(main())
