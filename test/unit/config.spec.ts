import { availableParallelism } from 'node:os';
import { Config } from '../../src/common/config/config.js';
import { SETTINGS } from '../../src/common/config/environment.js';

describe('configuration', () => {
  it.each([
    [{ PORT: 'http' }, /^PORT must be a whole number from 0 to 65535$/],
    [{ PORT: '70000' }, /^PORT must be/],
    [
      { DATABASE_URL: 'postgresql://a:5432,b:port/d' },
      /^DATABASE_URL must be file:PATH or postgresql:\/\/USER:PASSWORD@HOST:PORT,…\/NAME/,
    ],
    [{ DATABASE_URL: 'mysql://x' }, /^DATABASE_URL must begin with file: or postgresql:\/\/$/],
    [{ SECRET_KEY: 'short' }, /^SECRET_KEY must be 32 bytes or more/],
    [{ SECRET_KEYS_OLD: `${'a'.repeat(32)}, short` }, /^SECRET_KEYS_OLD must be up to 8 different secrets of 32 bytes or more/],
    [{ SECRET_KEYS_OLD: `${'a'.repeat(32)},${'a'.repeat(32)}` }, /^SECRET_KEYS_OLD must be up to 8 different secrets/],
    [{ SECRET_KEYS_OLD: [...'abcdefghi'].map((one) => one.repeat(32)).join() }, /^SECRET_KEYS_OLD must be up to 8/],
    [{ SECRET_KEY: 'a'.repeat(32), SECRET_KEYS_OLD: 'a'.repeat(32) }, /^SECRET_KEYS_OLD must not contain SECRET_KEY/],
    [{ DATABASE_URL: 'postgresql://h/d' }, /^SECRET_KEY must be set with PostgreSQL/],
    [{ PUBLIC_URL: 'example.com' }, /^PUBLIC_URL must be a URL that begins with http:\/\/ or https:\/\//],
    [{ FILES_URL: 'files.example.com' }, /^FILES_URL must be a URL that begins with http:\/\/ or https:\/\//],
    [{ FILES_URL: 'https://example.com/files' }, /^FILES_URL must have no path, user or password: http:\/\/host:port$/],
    [
      { FILES_URL: 'https://x:443', PUBLIC_URL: 'https://X' },
      /^FILES_URL must have a host or port other than those of PUBLIC_URL/,
    ],
    [{ FILES_URL: 'http://localhost:3000' }, /^FILES_URL must have a host or port other than those of PUBLIC_URL/],
    [{ WEBSOCKET_URL: 'http://example.com' }, /^WEBSOCKET_URL must be a URL that begins with ws:\/\/ or wss:\/\//],
    [{ TRUST_PROXY: '1' }, /^TRUST_PROXY must be true, false, or a comma-separated list/],
    [{ TRUST_PROXY: '10.0.0.0/33' }, /^TRUST_PROXY/],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' }, /^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that begins with http/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'no pair' }, /^OTEL_EXPORTER_OTLP_HEADERS must be up to 32 pairs name=value/],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'a=%zz' }, /^OTEL_RESOURCE_ATTRIBUTES must be .* values percent-encoded$/],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /^OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf/],
    [{ OTEL_TRACES_SAMPLER: 'sometimes' }, /^OTEL_TRACES_SAMPLER must be one of always_on/],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, /^OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1$/],
    [{ OTEL_METRIC_EXPORT_INTERVAL: '5' }, /^OTEL_METRIC_EXPORT_INTERVAL must be a whole number from 1000 to 3600000$/],
    [{ MAX_UPLOAD_BYTES: '-1' }, /^MAX_UPLOAD_BYTES must be/],
    [{ MAX_UPLOAD_BYTES: '0' }, /^MAX_UPLOAD_BYTES must be a whole number from 1 to 9007199254740991/],
    [{ MAX_UPLOAD_BYTES: '10MB' }, /^MAX_UPLOAD_BYTES must be .*, optionally with KiB, MiB, GiB or TiB, such as 10GiB$/],
    [{ MAX_UPLOAD_BYTES: '10bytes' }, /^MAX_UPLOAD_BYTES must be/],
    [{ TENANT_MAX_STORED_BYTES: '9000000TiB' }, /^TENANT_MAX_STORED_BYTES must be/],
    [{ RATE_LIMIT_PER_MINUTE: '1.5' }, /^RATE_LIMIT_PER_MINUTE must be/],
    [{ S3_ENDPOINT: 'minio:9000' }, /^S3_ENDPOINT must be a URL that begins with http:\/\/ or https:\/\//],
    [{ S3_ENDPOINT: 'http://minio:9000/s3' }, /^S3_ENDPOINT must have no path/],
    [{ S3_ENDPOINT: 'http://a:b@minio:9000' }, /^S3_ENDPOINT must have no path, user or password/],
    [{ S3_ENDPOINT: 'http://min!io:9000' }, /^S3_ENDPOINT must name a host by letters, digits/],
    [{ S3_ENDPOINT: 'http://-minio:9000' }, /^S3_ENDPOINT must name a host/],
    [{ S3_ENDPOINT: 'http://minio_:9000' }, /^S3_ENDPOINT must name a host/],
    [{ S3_ENDPOINT: 'http://.minio:9000' }, /^S3_ENDPOINT must name a host/],
    [{ S3_ENDPOINT: `http://${'a'.repeat(254)}` }, /^S3_ENDPOINT must name a host/],
    [{ S3_ENDPOINT: 'http://minio:0' }, /^S3_ENDPOINT must name a host .* and not port 0$/],
    [{ S3_PUBLIC_ENDPOINT: "https://s3'.example.com" }, /^S3_PUBLIC_ENDPOINT must name a host/],
    [{ S3_ENDPOINT: 'http://minio:9000', S3_SECRET_KEY: 's' }, /^S3_ACCESS_KEY and S3_SECRET_KEY must be set together/],
    [{ S3_ENDPOINT: 'http://minio:9000', S3_ACCESS_KEY: 'a' }, /^S3_ACCESS_KEY and S3_SECRET_KEY must be set together/],
    [{ S3_PUBLIC_ENDPOINT: 'ftp://x' }, /^S3_PUBLIC_ENDPOINT must be a URL that begins with http/],
    [
      {
        S3_ENDPOINT: 'http://minio:9000',
        S3_ACCESS_KEY: 'a',
        S3_SECRET_KEY: 's',
        S3_PUBLIC_ENDPOINT: 'https://x:443',
        PUBLIC_URL: 'https://X/api',
      },
      /^S3_PUBLIC_ENDPOINT must have an origin other than that of PUBLIC_URL/,
    ],
    [{ S3_PUBLIC_ENDPOINT: 'https://x' }, /^S3_ENDPOINT must be set with S3_PUBLIC_ENDPOINT$/],
    [{ S3_ADDRESSING: 'dns' }, /^S3_ADDRESSING must be path or host$/],
    [{ S3_ADDRESSING: 'host', S3_ENDPOINT: 'http://[::1]:9000' }, /^S3_ADDRESSING must be path if S3_ENDPOINT/],
    [{ S3_BUCKET: 'Files' }, /^S3_BUCKET must be the name of a bucket: 3 to 63/],
    [{ S3_BUCKET: '10.0.0.1' }, /^S3_BUCKET must be/],
    [{ S3_REGION: 'eu west' }, /^S3_REGION must be/],
    [{ MINIO_ENDPOINT: 'minio:9000' }, /^S3_ENDPOINT must be a URL that begins with/],
    [
      { S3_ENDPOINT: 'http://s3:9000', MINIO_ENDPOINT: 'http://minio:9000' },
      /^S3_ENDPOINT and MINIO_ENDPOINT, its earlier name, are set to different values: leave out MINIO_ENDPOINT$/,
    ],
    [{ S3_SECRET_KEY: 'swordfish', MINIO_SECRET_KEY: 'other' }, /^(?!.*(swordfish|other)).*leave out MINIO_SECRET_KEY$/],
    [{ REDIS_URL: 'redis://h', REDIS_CA_FILE: '/dev/null' }, /^REDIS_CA_FILE must be a file with certificates in PEM/],
    [{ REDIS_URL: 'localhost:6379' }, /^REDIS_URL must be redis:\/\/host:port, rediss:\/\/host:port, sentinel:\/\//],
    [{ REDIS_URL: 'sentinel://a:1,b/group' }, /^REDIS_URL must be/],
    [{ REDIS_URL: 'sentinel://a:1' }, /^REDIS_URL must be/],
    [{ REDIS_URL: 'redis+cluster://a:1,b' }, /^REDIS_URL must be .* redis\+cluster:\/\/host:port,host:port or rediss\+cluster/],
    [{ REDIS_URL: 'redis+cluster://a:1/0' }, /^REDIS_URL must be/],
    [{ WEBSOCKET_HEARTBEAT_SECONDS: '0' }, /^WEBSOCKET_HEARTBEAT_SECONDS must be a whole number from 1 to 300$/],
    [{ MESSAGE_RETENTION_DAYS: '0' }, /^MESSAGE_RETENTION_DAYS must be/],
    [{ SMTP_URL: 'http://mail' }, /^SMTP_URL must be a URL that begins with smtp:\/\/ or smtps:\/\//],
    [{ SMTP_URL: 'smtp://mail?pool=false' }, /^SMTP_URL must be a URL .* and has no query$/],
    [{ SMTP_URL: 'smtp://mail' }, /^EMAIL_FROM must be set with SMTP_URL/],
    [{ SMTP_OAUTH_CLIENT_ID: 'id' }, /^SMTP_OAUTH_TOKEN_URL, SMTP_OAUTH_CLIENT_ID and SMTP_OAUTH_REFRESH_TOKEN must be set/],
    [
      {
        SMTP_URL: 'smtp://user:pass@mail',
        EMAIL_FROM: 'a@b.example',
        SMTP_OAUTH_TOKEN_URL: 'https://tokens',
        SMTP_OAUTH_CLIENT_ID: 'id',
        SMTP_OAUTH_REFRESH_TOKEN: 'r',
      },
      /^SMTP_URL must have a user and no password with SMTP_OAUTH_TOKEN_URL/,
    ],
    [{ SMTP_TLS: 'yes' }, /^SMTP_TLS must be one of required, opportunistic, off$/],
    [
      { SMTP_URL: 'SMTPS://mail', EMAIL_FROM: 'a@b.example', SMTP_TLS: 'off' },
      /^SMTP_TLS must not be off if SMTP_URL begins with smtps/,
    ],
    [{ SMTP_CA_FILE: '/no/such.pem' }, /^SMTP_CA_FILE must be a file with certificates in PEM; \/no\/such.pem: ENOENT/],
    [{ SMTP_CA_FILE: 'package.json' }, /^SMTP_CA_FILE must be a file with certificates in PEM; package.json: it contains none$/],
    [{ WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/33' }, /^WEBHOOK_ALLOWED_NETWORKS must be addresses or CIDR ranges/],
    [{ WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8,inner.example' }, /^WEBHOOK_ALLOWED_NETWORKS must be addresses or CIDR ranges/],
    [{ WEBHOOK_ALLOW_HTTP: 'yes' }, /^WEBHOOK_ALLOW_HTTP must be true or false$/],
    [{ WEBHOOK_CA_FILE: '/no/such.pem' }, /^WEBHOOK_CA_FILE must be a file with certificates in PEM; \/no\/such.pem: ENOENT/],
    [{ HTTPS_PROXY: 'socks5://proxy' }, /^HTTPS_PROXY must be a URL that begins with http:\/\/ or https:\/\//],
    [{ HTTPS_PROXY: 'http://proxy/path' }, /^HTTPS_PROXY must have no path/],
    [{ EMAIL_FROM: 'Ann' }, /^EMAIL_FROM must be an address, such as/],
    [{ EMAIL_FROM: 'Ann <ann@>' }, /^EMAIL_FROM must be an address/],
  ])('refuses %j with one line that names the setting and its valid values', (env, message) => {
    expect(() => Config.read(env as Record<string, string>)).toThrow(message);
    try {
      Config.read(env as Record<string, string>);
    } catch (error) {
      expect((error as Error).message).not.toContain('\n');
    }
  });

  it.each([
    ['10GiB', 10 * 1024 ** 3],
    ['5KiB', 5_120],
    ['7', 7],
  ])('accepts %s as a number of bytes', (text, bytes) => {
    const config = Config.read({ MAX_UPLOAD_BYTES: text, TENANT_MAX_STORED_BYTES: text });
    expect([config.maxUploadBytes, config.tenantLimits.storedBytes]).toEqual([bytes, bytes]);
  });

  it('has 5 TiB as the largest file, and no limit of stored bytes, unless they are given', () => {
    for (const env of [{}, { TENANT_MAX_STORED_BYTES: '0' }])
      expect(Config.read(env)).toMatchObject({ maxUploadBytes: 5 * 1024 ** 4, tenantLimits: { storedBytes: Infinity } });
  });

  it.each([
    ['SMPT_URL', 'SMTP_URL'],
    ['smtp_url', 'SMTP_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['PROT', 'PORT'],
    ['CHROMIUM_PAHT', 'CHROMIUM_PATH'],
  ])('reports %s as a misspelt %s', (name, meant) => expect(Config.read({ [name]: 'x' }).misspelt).toEqual([{ name, meant }]));

  it.each<Record<string, string>>([
    {
      HOME: '/root',
      PATH: '/bin',
      USER: 'ann',
      PWD: '/',
      HOSTNAME: 'a',
      SHELL: 'sh',
      LANG: 'C',
      LOGNAME: 'ann',
      NODE_ENV: 'test',
    },
    { HTTP_PROXY: 'http://proxy', https_proxy: 'http://proxy', NO_PROXY: 'localhost' },
    {
      REDIS_PORT: 'tcp://10.0.0.1:6379',
      REDIS_HOST: 'redis',
      SMTP_PORT: '25',
      POSTGRES_PORT: '5432',
      MINIO_ROOT_USER: 'a',
      S3_PORT: '9000',
    },
    { OTEL_TRACES_EXPORTER: 'otlp', OTEL_LOG_LEVEL: 'info', OTEL_EXPORTER_OTLP_TIMEOUT: '1000', CHROME_PATH: '/usr/bin/chrome' },
    { SMTP_URL: 'smtp://mail', EMAIL_FROM: 'a@b.example', SMPT_URL: 'of another program' },
  ])('leaves names to other programs: %j', (env) => expect(Config.read(env).misspelt).toEqual([]));

  it('treats an empty setting as left out and ignores foreign names', () => {
    const config = Config.read({ PORT: '', SOMETHING_ELSE: 'x' });
    expect(config.port).toBe(3000);
    expect(config.databaseUrl).toMatch(/^file:.*platform-services\.db$/);
  });

  it('accepts a sender with or without a name', () => {
    const from = (EMAIL_FROM: string) => Config.read({ EMAIL_FROM }).emailFrom;
    expect(from('ann@Example.com')).toEqual({ address: 'ann@example.com', name: null });
    expect(from('Ann & Bob <ann@example.com>')).toEqual({ address: 'ann@example.com', name: 'Ann & Bob' });
    expect(from('"Ann, Bob" <ann@example.com>')).toEqual({ address: 'ann@example.com', name: 'Ann, Bob' });
    expect(Config.read({}).emailFrom).toEqual({ address: 'platform-services@localhost', name: null });
  });

  it('requires TLS if the mail server is sent a password, and otherwise uses it if offered', () => {
    const smtp = (env: object) => Config.read({ EMAIL_FROM: 'ann@example.com', ...env }).smtp;
    const [url, withPassword] = ['smtp://mail:25', 'smtp://ann:s%40cret@mail:25'];
    expect(smtp({ SMTP_URL: url, SMTP_TLS: '' })).toMatchObject({ url, hasPassword: false, tls: 'opportunistic' });
    expect(smtp({ SMTP_URL: withPassword })).toMatchObject({ url: withPassword, hasPassword: true, tls: 'required' });
    expect(smtp({ SMTP_URL: withPassword, SMTP_TLS: 'off' })).toMatchObject({ tls: 'off' });
    expect(smtp({ SMTP_URL: 'smtps://mail' })).toMatchObject({ tls: 'opportunistic' });
    expect(smtp({ SMTP_TLS: 'off' })).toBeUndefined();
  });

  it('accepts addresses and ranges of proxies', () => {
    expect(Config.read({ TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy).toEqual(['10.0.0.0/8', '::1']);
    expect(Config.read({ TRUST_PROXY: 'true' }).trustProxy).toBe(true);
  });

  it('uses a folder unless a store is named, and then a bucket and a region with the usual names', () => {
    expect(Config.read({ S3_ACCESS_KEY: 'left over' }).minio).toBeUndefined();
    const named = { S3_ENDPOINT: 'http://minio:9000', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 's' };
    expect(Config.read(named).minio).toEqual({
      endpoint: 'http://minio:9000',
      publicEndpoint: undefined,
      accessKey: 'a',
      secretKey: 's',
      bucket: 'platform-services',
      region: 'us-east-1',
      addressing: 'path',
    });
  });

  it('reads a store from earlier names, beside equal present ones, and names what it renamed', () => {
    const earlier = { MINIO_ENDPOINT: 'http://s3:9000', MINIO_ACCESS_KEY: 'a', MINIO_SECRET_KEY: 's', MINIO_BUCKET: 'acme' };
    const present = { S3_ENDPOINT: 'http://s3:9000', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 's', S3_BUCKET: 'acme' };
    expect(Config.read(earlier).minio).toEqual(Config.read(present).minio);
    expect(Config.read({ ...earlier, ...present }).minio).toEqual(Config.read(present).minio);
    expect(Config.read({ ...present, MINIO_BUCKET: '' }).renamed).toEqual([]);
    expect(Config.read({ ...present, MINIO_BUCKET: 'acme' }).renamed).toEqual([{ earlier: 'MINIO_BUCKET', name: 'S3_BUCKET' }]);
    expect(Config.read({ MINIO_ENDPONT: 'x' }).misspelt).toEqual([{ name: 'MINIO_ENDPONT', meant: 'MINIO_ENDPOINT' }]);
  });

  it('has an earlier name for each setting of the store, and for no other', () => {
    const named = SETTINGS.filter(({ earlier }) => earlier).map(({ name, earlier }) => [name, earlier]);
    const parts = ['ENDPOINT', 'PUBLIC_ENDPOINT', 'ACCESS_KEY', 'SECRET_KEY', 'ADDRESSING', 'BUCKET', 'REGION'];
    expect(named).toEqual(parts.map((part) => [`S3_${part}`, `MINIO_${part}`]));
  });

  it('reads the nodes of a Redis Cluster, with a password and with TLS', () => {
    expect(Config.read({ REDIS_URL: 'redis+cluster://:p%40ss@a:1,b:2' }).redis).toEqual({
      password: 'p@ss',
      seeds: ['a:1', 'b:2'],
      isSecure: false,
    });
    expect(Config.read({ REDIS_URL: 'rediss+cluster://a:1/' }).redis).toMatchObject({ seeds: ['a:1'], isSecure: true });
  });

  it('reads one Redis, or the Sentinels of a group with a password', () => {
    expect(Config.read({ REDIS_URL: 'redis://:p%40ss@h:1/2' }).redis).toEqual({ url: 'redis://:p%40ss@h:1/2', isSecure: false });
    expect(Config.read({ REDIS_URL: 'sentinel://u:p%40ss@a:1,b:2/push' }).redis).toEqual({
      username: 'u',
      password: 'p@ss',
      sentinels: ['a:1', 'b:2'],
      group: 'push',
      isSecure: false,
    });
    expect(Config.read({ REDIS_URL: 'sentinel://a:1/push' }).redis).toMatchObject({ sentinels: ['a:1'], group: 'push' });
    expect(Config.read({ REDIS_URL: 'sentinels://a:1/push' }).redis).toMatchObject({ sentinels: ['a:1'], isSecure: true });
  });

  it('divides the limits of a node among its workers, and uses one worker per core with PostgreSQL and Redis only', () => {
    const redis = { REDIS_URL: 'redis://h:1' };
    const two = Config.read({
      ...redis,
      WORKERS: '2',
      WEBSOCKET_MAX_CONNECTIONS: '101',
      WEBSOCKET_MAX_CONNECTIONS_PER_TENANT: '7',
    });
    expect([two.maxConnections, two.maxConnectionsPerTenant, two.maxDatabaseConnections]).toEqual([51, 4, 10]);
    expect(Config.read({}).workers).toBe(1);
    expect(Config.read({ ...redis, WORKERS: 'auto' }).workers).toBe(1);
    const database = { DATABASE_URL: 'postgresql://h/d', SECRET_KEY: 'x'.repeat(32) };
    expect(Config.read({ ...database, WORKERS: 'auto' }).workers).toBe(1);
    expect(Config.read({ ...database, ...redis, WORKERS: 'auto' }).workers).toBe(Math.min(availableParallelism(), 64));
  });

  it('explains why WORKERS=auto is one process on a machine of several cores', () => {
    if (availableParallelism() === 1) return;
    const reason = (env: Record<string, string>) => Config.read({ SECRET_KEY: 'x'.repeat(32), ...env }).whyOneWorker;
    const database = { DATABASE_URL: 'postgresql://h/d' };
    expect(reason({ ...database, WORKERS: 'auto' })).toMatch(/REDIS_URL is not set; with PostgreSQL and Redis it is \d+$/);
    expect(reason({ WORKERS: 'auto' })).toMatch(/SQLite has one writer/);
    expect(reason({ ...database, WORKERS: 'auto', REDIS_URL: 'redis://h:1' })).toBeUndefined();
    expect(reason(database)).toBeUndefined();
  });

  it('sends telemetry only if a collector is named, as the OpenTelemetry specification says', () => {
    const telemetry = (env: Record<string, string>) => Config.read(env).telemetry;
    const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/otlp/' };
    expect(telemetry({ OTEL_SERVICE_NAME: 'shop' })).toBeUndefined();
    expect(telemetry({ ...base, OTEL_SDK_DISABLED: 'TRUE' })).toBeUndefined();
    expect(telemetry(base)).toMatchObject({
      tracesUrl: 'http://c:4318/otlp/v1/traces',
      metricsUrl: 'http://c:4318/otlp/v1/metrics',
      resource: { 'service.name': 'platform-services' },
      sampler: 'parentbased_always_on',
      ratio: 1,
      metricIntervalMs: 60_000,
    });
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/x?token=1' };
    expect(telemetry(own)).toMatchObject({ tracesUrl: 'http://t/x?token=1', metricsUrl: undefined });
    expect(telemetry({ ...base, ...own })).toMatchObject({
      tracesUrl: 'http://t/x?token=1',
      metricsUrl: expect.stringContaining('c:4318'),
    });
    const named = { ...base, OTEL_RESOURCE_ATTRIBUTES: 'service.name=a, x.y=b%2Cc', OTEL_SERVICE_NAME: 'shop' };
    expect(telemetry(named)!.resource).toMatchObject({ 'service.name': 'shop', 'x.y': 'b,c' });
    expect(telemetry({ ...base, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b' })!.headers).toEqual({ 'x-key': 'a b' });
  });
});
