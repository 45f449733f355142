// Room: MCP at /mcp: the operations of the services as tools for agents.
import { Module } from '@nestjs/common';
import { McpController } from './mcp.controller.js';
import { McpMessages } from './mcp-messages.js';
import { ToolCalls } from './tool-calls.js';
import { Tools } from './tools.js';

/** Serves the operations of all services to agents. */
@Module({ providers: [McpController, McpMessages, ToolCalls, Tools] })
export class McpModule {}
