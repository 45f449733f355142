import { isIPv6 } from 'node:net';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { CONTENT_PATH } from '../modules/file-management/file-storage/file-urls.js';
import { Config } from '../common/config/config.js';
import { answerPage } from '../common/graphql/console/page-answer.js';
import { PublicAddress } from '../common/http/public-address.js';
import { AppError } from '../common/base/app-error.js';
import { notThere } from '../common/http/refusals/http-errors.js';
import { RequestGate } from '../common/http/request-gate.js';
import { PAGE, type StudioAsset, StudioAssets } from './studio-assets.js';
import { CHEAP } from '../common/scheduling/work-class.js';

/** The page of the frame that shows untrusted HTML, which it gets as a message. */
const FRAME = 'frame.html';
/** A host that a policy can name, with its port. */
const HOST = /^[\w.-]+(:\d{1,5})?$/;
/** An IPv6 address with its port, for which the grammar of policies has no form. */
const IPV6_HOST = /^\[([\da-f:.]+)\](:\d{1,5})?$/i;
const PUBLIC: RouteShorthandOptions = { config: { access: 'public', work: CHEAP } };

/** Serves Studio below /studio. A path that is not a file is a route of Studio itself, and gets its page. */
@Injectable()
export class StudioController implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly gate: RequestGate,
    private readonly assets: StudioAssets,
    private readonly address: PublicAddress,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const server = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    this.gate.redirectBrowsers('/', '/studio');
    server.get('/studio', PUBLIC, (request, reply) => this.answer(request, reply, PAGE));
    server.get<{ Params: { '*': string } }>('/studio/*', PUBLIC, (request, reply) =>
      this.answer(request, reply, request.params['*'] || PAGE),
    );
  }

  private async answer(request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> {
    const isFile = name.startsWith('assets/') || name === FRAME;
    const asset = (await this.assets.find(name)) ?? (isFile ? undefined : await this.assets.find(PAGE));
    if (!asset) throw isFile ? notThere(request) : notBuilt();
    return answerPage(request, reply, asset, {
      policy: name === FRAME ? policyOfFrame(asset, this.filePaths()) : this.policy(request.host),
      cacheControl: asset.isPermanent ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
  }

  /**
   * Allows the origins of this server alone: those that its own addresses of contents and sockets name. Scripts, styles and fonts come from
   * Studio's own path, since a public file of a tenant has the same origin.
   */
  private policy(host: string): string {
    const { minio } = this.config;
    const assets = this.assetPaths(host);
    const addresses = [this.address.http, this.address.files, minio?.publicEndpoint].filter((address) => address !== undefined);
    const own = ["'self'", ...new Set(addresses.map((address) => new URL(address).origin))].join(' ');
    return [
      "default-src 'none'",
      `script-src ${assets}`,
      `style-src ${assets}`,
      `font-src ${assets}`,
      `worker-src ${assets}`,
      `connect-src ${own} ${new URL(this.address.webSocket).origin}`,
      `img-src ${own} blob: data:`,
      `media-src ${own} blob:`,
      `frame-src ${own} blob:`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
  }

  /** Where public files are read: their path, and the store that it leads to. */
  private filePaths(): string[] {
    const { minio } = this.config;
    const store = minio?.publicEndpoint && new URL(minio.publicEndpoint).origin;
    const paths = [`${this.address.files}${CONTENT_PATH}/`, ...(store ? [store] : [])];
    return paths.filter((path) => HOST.test(new URL(path).host));
  }

  /**
   * The path of Studio's scripts at the host that the browser asked for, and at that of PUBLIC_URL, should a proxy change the host. At
   * an IPv6 address it is the whole origin: a policy can name no part of one.
   */
  private assetPaths(host: string): string {
    if (isIPv6(IPV6_HOST.exec(host)?.[1] ?? '')) return "'self'";
    const hosts = [host, new URL(this.address.http).host].filter((one) => HOST.test(one));
    return [...new Set(hosts)].map((one) => `${one.toLowerCase()}/studio/assets/`).join(' ') || "'self'";
  }
}

/** Lets a browser look again by itself: the first start of a checkout builds Studio beside the server. */
function notBuilt(): AppError {
  const message =
    'Studio is not built yet. The first start builds it in less than a minute; if that failed, the terminal of the start says why';
  return new AppError('SERVICE_UNAVAILABLE', message, { headers: { refresh: '3', 'retry-after': '3' } });
}

/**
 * Lets the frame's own script write the HTML that it receives, in which nothing can run or submit, and only public files of this server
 * load, as images: nobody else learns that somebody looks. The sandbox gives it an origin of its own, so that it reaches neither the key
 * nor the page around it.
 */
function policyOfFrame({ scriptHash }: StudioAsset, filePaths: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${scriptHash}'`,
    "style-src 'unsafe-inline'",
    ['img-src data:', ...filePaths].join(' '),
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts',
  ].join('; ');
}
