import { Inject, Injectable, type OnApplicationBootstrap, SetMetadata } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { PlatformEvent } from '@platform-services/client';

const TYPES = Symbol.for('@platform-services/nestjs event types');

type EventType = PlatformEvent['type'];
type Handler<T extends EventType> = (event: Extract<PlatformEvent, { type: T }>) => unknown;

/** Method of a provider or controller that handles events of these types. It is awaited before the webhook is answered. */
export function OnPlatformEvent<T extends EventType>(type: T, ...others: T[]) {
  return <H extends Handler<T>>(target: object, name: string | symbol, descriptor: TypedPropertyDescriptor<H>): void => {
    SetMetadata(TYPES, [type, ...others])(target, name, descriptor);
  };
}

/** Calls the methods with `@OnPlatformEvent`. */
@Injectable()
export class PlatformEvents implements OnApplicationBootstrap {
  private readonly handlers = new Map<string, ((event: PlatformEvent) => unknown)[]>();

  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  onApplicationBootstrap(): void {
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()];
    for (const { instance } of wrappers as { instance: Record<string, unknown> | null | undefined }[]) {
      if (!instance || typeof instance !== 'object' || !Object.getPrototypeOf(instance)) continue;
      for (const name of this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object)) this.add(instance, name);
    }
  }

  /** Calls all handlers of an event, one after another. @throws The first error, so that the platform sends the event again */
  async dispatch(event: PlatformEvent): Promise<void> {
    for (const handle of this.handlers.get(event.type) ?? []) await handle(event);
  }

  private add(instance: Record<string, unknown>, name: string): void {
    const method = instance[name];
    if (typeof method !== 'function') return;
    for (const type of this.reflector.get<EventType[] | undefined>(TYPES, method) ?? []) {
      this.handlers.set(type, [...(this.handlers.get(type) ?? []), (event) => method.call(instance, event) as unknown]);
    }
  }
}
