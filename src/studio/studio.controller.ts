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

/** Page of the frame that shows untrusted HTML, received as a message. */
const FRAME = 'frame.html';
/** Host with optional port, as a policy can name it. */
const HOST = /^[\w.-]+(:\d{1,5})?$/;
/** IPv6 address with optional port, which the grammar of policies does not support. */
const IPV6_HOST = /^\[([\da-f:.]+)\](:\d{1,5})?$/i;
const PUBLIC: RouteShorthandOptions = { config: { access: 'public', work: CHEAP } };

/** Serves Studio below /studio. Paths that are not files are routes of Studio, and get its page. */
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
   * Returns the policy of Studio: allows only the origins of this server, including those of contents and sockets. Scripts, styles and
   * fonts come only from Studio's own path, since public files of tenants have the same origin.
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

  /** Returns the locations of public files: their path, and the store that it redirects to. */
  private filePaths(): string[] {
    const { minio } = this.config;
    const store = minio?.publicEndpoint && new URL(minio.publicEndpoint).origin;
    const paths = [`${this.address.files}${CONTENT_PATH}/`, ...(store ? [store] : [])];
    return paths.filter((path) => HOST.test(new URL(path).host));
  }

  /**
   * Returns the path of Studio's scripts at the requested host and, should a proxy change the host, at that of PUBLIC_URL. For an IPv6
   * address it is the whole origin, since a policy can name no part of one.
   */
  private assetPaths(host: string): string {
    if (isIPv6(IPV6_HOST.exec(host)?.[1] ?? '')) return "'self'";
    const hosts = [host, new URL(this.address.http).host].filter((one) => HOST.test(one));
    return [...new Set(hosts)].map((one) => `${one.toLowerCase()}/studio/assets/`).join(' ') || "'self'";
  }
}

/** Error until Studio is built, beside the server at the first start of a checkout. Makes the browser reload. */
function notBuilt(): AppError {
  const message =
    'Studio is not built yet. The first start builds it in less than a minute; if that fails, see the terminal for the reason';
  return new AppError('SERVICE_UNAVAILABLE', message, { headers: { refresh: '3', 'retry-after': '3' } });
}

/**
 * Returns the policy of the frame. Its own script may write the received HTML. In that HTML nothing can run or submit, and only public
 * files of this server load, as images, so no third party learns of the view. The sandbox gives it a separate origin, without access to
 * the key or the surrounding page.
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
