import type { Type } from '@nestjs/common';
import { Args, Float, ID, Int, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../auth/caller.js';
import { AccessByScope } from '../../graphql/access/access.guard.js';
import { CurrentCaller } from '../../graphql/access/graphql-context.js';
import { DateTime } from '../../graphql/types/date-time.scalar.js';
import type { Page } from '../../lists/page.js';
import { Limit, NextToken } from '../../lists/page-of.js';
import { Cheap } from '../../scheduling/work-class.js';
import type { EventKinds, TenantService } from '../outbox/event.js';
import { DEFAULT_OVERLAP_S, MAX_WEBHOOKS } from '../delivery/limits.js';
import {
  type CreateWebhookInput,
  type DeliveriesFilter,
  type UpdateWebhookInput,
  type WebhookInputs,
  webhookInputs,
} from './webhook.inputs.js';
import {
  MAX_DELIVERIES,
  type Webhook,
  type WebhookDelivery,
  WebhookDeliveryStatus,
  type WebhookSecret,
  type WebhookTypes,
  webhookTypes,
} from './webhook.model.js';
import { RedeliveryService } from './redelivery.service.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WEBHOOKS } from './webhooks.descriptions.js';
import { WebhooksService } from './webhooks.service.js';

const nullable = true;

const Id = (name = 'id'): ParameterDecorator => Args(name, { type: () => ID, description: 'Id of the webhook.' });

const Input = (type: Type): ParameterDecorator => Args('input', { type: () => type, description: 'Properties of the webhook.' });

/** Service with events, and the class that marks its schema. */
interface EventService {
  service: TenantService;
  marker: Type;
  kinds: EventKinds;
}

interface Made extends EventService {
  types: WebhookTypes;
  inputs: WebhookInputs;
}

/** Creates the webhook operations of a service, for the providers of its module. */
export function webhookOperations(of: EventService): Type[] {
  const types = webhookTypes(of.marker, of.kinds);
  const made = { ...of, types, inputs: webhookInputs(of.marker, types) };
  return [changesResolver(made), listsResolver(made), countsResolver(made), deliveriesResolver(made)];
}

function changesResolver({ service, kinds, types, inputs }: Made): Type {
  @Resolver()
  @AccessByScope(service)
  class WebhookChangesResolver {
    constructor(private readonly service: WebhooksService) {}

    @Cheap()
    @Mutation(() => types.WebhookSecret, { nullable, description: WEBHOOKS.createWebhook })
    createWebhook(
      @CurrentCaller() caller: Caller,
      @Input(inputs.CreateWebhookInput) input: CreateWebhookInput,
    ): Promise<WebhookSecret> {
      return this.service.create(caller, { service, kinds, inputs }, input);
    }

    @Cheap()
    @Mutation(() => types.Webhook, { nullable, description: WEBHOOKS.updateWebhook })
    updateWebhook(
      @CurrentCaller() caller: Caller,
      @Id() id: string,
      @Input(inputs.UpdateWebhookInput) input: UpdateWebhookInput,
    ): Promise<Webhook> {
      return this.service.update(caller, { service, kinds, inputs }, id, input);
    }

    @Cheap()
    @Mutation(() => types.Webhook, { nullable, description: WEBHOOKS.deleteWebhook })
    deleteWebhook(@CurrentCaller() caller: Caller, @Id() id: string): Promise<Webhook> {
      return this.service.delete(caller, service, id);
    }

    @Cheap()
    @Mutation(() => types.WebhookSecret, { nullable, description: WEBHOOKS.rotateWebhookSecret })
    rotateWebhookSecret(
      @CurrentCaller() caller: Caller,
      @Id() id: string,
      @Args('overlap', { type: () => Int, nullable, defaultValue: DEFAULT_OVERLAP_S, description: WEBHOOKS.overlap })
      overlap: number | null,
    ): Promise<WebhookSecret> {
      return this.service.rotate(caller, service, id, overlap ?? DEFAULT_OVERLAP_S);
    }
  }
  return WebhookChangesResolver;
}

function listsResolver({ service, types, inputs }: Made): Type {
  @Resolver(() => types.WebhookDelivery)
  @AccessByScope(service)
  class WebhookListsResolver {
    constructor(
      private readonly service: WebhooksService,
      private readonly deliveries: WebhookDeliveriesService,
    ) {}

    @Query(() => types.WebhooksResult, { nullable, description: WEBHOOKS.webhooks })
    webhooks(
      @CurrentCaller() caller: Caller,
      @NextToken() nextToken: string | null,
      @Limit(MAX_WEBHOOKS, MAX_WEBHOOKS) limit: number | null,
    ): Promise<Page<Webhook>> {
      return this.service.page(caller, service, nextToken, limit);
    }

    @Query(() => types.WebhookDeliveriesResult, { nullable, description: WEBHOOKS.webhookDeliveries })
    webhookDeliveries(
      @CurrentCaller() caller: Caller,
      @Id('webhookId') webhookId: string,
      @Args('filter', { type: () => inputs.WebhookDeliveriesFilter, nullable, description: 'All deliveries if left out.' })
      filter: DeliveriesFilter | null,
      @NextToken('webhookId and filter') nextToken: string | null,
      @Limit(MAX_DELIVERIES, MAX_DELIVERIES) limit: number | null,
    ): Promise<Page<WebhookDelivery>> {
      return this.deliveries.page(caller, { service, inputs, webhookId, filter, nextToken, limit });
    }

    @ResolveField('body', () => String, { nullable, description: 'Request body: a CloudEvents 1.0 object in JSON.' })
    body(@Parent() delivery: WebhookDelivery): Promise<string | null> {
      return delivery.loadBody();
    }
  }
  return WebhookListsResolver;
}

function countsResolver({ service, types }: Made): Type {
  @Resolver(() => types.Webhook)
  @AccessByScope(service)
  class WebhookCountsResolver {
    @ResolveField('waiting', () => Int, { nullable, description: WEBHOOKS.waiting })
    async waiting(@Parent() webhook: Webhook): Promise<number> {
      return (await webhook.loadCounts()).waiting;
    }

    @ResolveField('successRate', () => Float, { nullable, description: WEBHOOKS.successRate })
    async successRate(@Parent() webhook: Webhook): Promise<number | null> {
      return (await webhook.loadCounts()).successRate;
    }
  }
  return WebhookCountsResolver;
}

function deliveriesResolver({ service, kinds, types }: Made): Type {
  @Resolver()
  @AccessByScope(service)
  class WebhookDeliveriesResolver {
    constructor(
      private readonly deliveries: WebhookDeliveriesService,
      private readonly redelivery: RedeliveryService,
    ) {}

    @Cheap()
    @Mutation(() => types.WebhookDelivery, { nullable, description: WEBHOOKS.testWebhook })
    testWebhook(
      @CurrentCaller() caller: Caller,
      @Id() id: string,
      @Args('type', { type: () => types.WebhookEvent, nullable, description: WEBHOOKS.testType }) type: string | null,
    ): Promise<WebhookDelivery> {
      return this.deliveries.test(caller, { service, kinds }, id, type ?? null);
    }

    @Cheap()
    @Mutation(() => Int, { nullable, description: WEBHOOKS.redeliver })
    redeliver(
      @CurrentCaller() caller: Caller,
      @Id('webhookId') webhookId: string,
      @Args('from', { type: () => DateTime, nullable, description: 'Earliest time of the events, inclusive.' })
      from: Date | null,
      @Args('to', { type: () => DateTime, nullable, description: 'Latest time of the events, inclusive; now by default.' })
      to: Date | null,
      @Args('status', { type: () => WebhookDeliveryStatus, nullable, description: WEBHOOKS.redeliverStatus })
      status: WebhookDeliveryStatus | null,
      @Args('ids', { type: () => [ID], nullable, description: WEBHOOKS.redeliverIds })
      ids: string[] | null,
    ): Promise<number> {
      return this.redelivery.redeliver(caller, service, webhookId, { from, to, status, ids });
    }

    @Cheap()
    @Mutation(() => Int, { nullable, description: WEBHOOKS.confirmWebhookDeliveries })
    confirmWebhookDeliveries(
      @CurrentCaller() caller: Caller,
      @Id('webhookId') webhookId: string,
      @Args('ids', { type: () => [ID], description: 'Ids of the events.' }) ids: string[],
    ): Promise<number> {
      return this.deliveries.confirm(caller, service, webhookId, ids);
    }
  }
  return WebhookDeliveriesResolver;
}
