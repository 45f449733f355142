import {
  BadRequestException,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
} from '@nestjs/common';
import { type PlatformEvent, verifyWebhook, WebhookVerificationError } from '@platform-services/client';
import { PLATFORM_OPTIONS, type PlatformOptions } from './tokens.js';

interface WebhookRequest {
  headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Bytes of the body. */
  rawBody?: Uint8Array;
  platformEvent?: PlatformEvent;
}

/** Guard of a route that receives webhooks. Answers 400 to a request whose signature or time is wrong. */
@Injectable()
export class VerifiedWebhook implements CanActivate {
  constructor(@Inject(PLATFORM_OPTIONS) private readonly options: PlatformOptions) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<WebhookRequest>();
    const { webhookSecrets = [] } = this.options;
    if (webhookSecrets.length === 0) throw new TypeError('Give PlatformModule the option webhookSecrets');
    if (!request.rawBody) throw new BadRequestException('The body must be an event of type application/cloudevents+json');
    try {
      request.platformEvent = await verifyWebhook(request.rawBody, request.headers, webhookSecrets);
    } catch (error) {
      if (error instanceof WebhookVerificationError) throw new BadRequestException(error.message);
      throw error;
    }
    return true;
  }
}

/** Parameter of a route with the guard `VerifiedWebhook`: the event. */
export const WebhookEvent: () => ParameterDecorator = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<WebhookRequest>().platformEvent,
);
