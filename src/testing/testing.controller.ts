import { Body, Controller, Get, Headers, HttpCode, Post, Query } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { z } from 'zod';
import type { Access } from '../common/auth/access.js';
import { badInput } from '../common/base/app-error.js';
import { BOUNCE_KINDS } from '../modules/email/bounces/reports/report.js';
import type { SentMail } from './mailbox.js';
import { TestingService } from './testing.service.js';
import { CHEAP } from '../common/scheduling/work-class.js';

const MAX_WAIT_MS = 30_000;
const KEY = 'x-testing-key';
const OWN_KEY = { access: 'signed' satisfies Access, work: CHEAP };

const tenantOrder = z.strictObject({ name: z.string().optional(), scope: z.string().optional() });
const keyOrder = z.strictObject({ tenantId: z.string(), scope: z.string() });
const mailsWanted = z.strictObject({
  tenantId: z.string().optional(),
  to: z.string().optional(),
  after: z.coerce.number().int().min(0).default(0),
  waitMs: z.coerce.number().int().min(0).max(MAX_WAIT_MS).default(0),
});
const bounceOrder = z.strictObject({
  tenantId: z.string().optional(),
  to: z.string(),
  kind: z.enum(BOUNCE_KINDS).default('HARD'),
  code: z
    .string()
    .regex(/^[245]\.\d{1,3}\.\d{1,3}$/, 'must be a code such as 5.1.1')
    .optional(),
  diagnostic: z.string().max(1_000).optional(),
});
const clockChange = z.strictObject({ advanceMs: z.number() });

/** Serves what tests need besides the APIs, to callers with the TESTING_KEY. docs/testing.md lists the routes. */
@Controller('testing')
export class TestingController {
  constructor(private readonly testing: TestingService) {}

  @Post('tenants')
  @RouteConfig(OWN_KEY)
  createTenant(@Headers(KEY) key: unknown, @Body() body: unknown) {
    this.testing.admit(key);
    return this.testing.createTenant(checked(tenantOrder, body));
  }

  @Post('keys')
  @RouteConfig(OWN_KEY)
  createKey(@Headers(KEY) key: unknown, @Body() body: unknown) {
    this.testing.admit(key);
    return this.testing.createKey(checked(keyOrder, body));
  }

  @Get('mails')
  @RouteConfig(OWN_KEY)
  async mails(@Headers(KEY) key: unknown, @Query() query: unknown) {
    this.testing.admit(key);
    const { waitMs, ...wanted } = checked(mailsWanted, query);
    return { mails: (await this.testing.mails(wanted, waitMs)).map(asJson) };
  }

  @Post('bounces')
  @RouteConfig(OWN_KEY)
  bounce(@Headers(KEY) key: unknown, @Body() body: unknown) {
    this.testing.admit(key);
    return this.testing.bounce(checked(bounceOrder, body));
  }

  @Get('clock')
  @RouteConfig(OWN_KEY)
  clock(@Headers(KEY) key: unknown) {
    this.testing.admit(key);
    return this.testing.readClock();
  }

  @Post('clock')
  @HttpCode(200)
  @RouteConfig(OWN_KEY)
  moveClock(@Headers(KEY) key: unknown, @Body() body: unknown) {
    this.testing.admit(key);
    return this.testing.advance(checked(clockChange, body).advanceMs);
  }

  @Get('faults')
  @RouteConfig(OWN_KEY)
  faults(@Headers(KEY) key: unknown) {
    this.testing.admit(key);
    return this.testing.faults.read();
  }

  @Post('faults')
  @HttpCode(200)
  @RouteConfig(OWN_KEY)
  setFaults(@Headers(KEY) key: unknown, @Body() body: unknown) {
    this.testing.admit(key);
    return this.testing.faults.set(body);
  }
}

/** Validates a value. @throws BAD_USER_INPUT naming the first invalid field */
function checked<T>(rule: z.ZodType<T>, value: unknown): T {
  const result = rule.safeParse(value);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  throw badInput(path.join('.') || 'the body', message);
}

function asJson({ attachments, ...mail }: SentMail) {
  return {
    ...mail,
    attachments: attachments.map(({ bytes, ...about }) => ({ ...about, contentBase64: bytes.toString('base64') })),
  };
}
