// @nightly: many starts of a node
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_SCOPES } from '../../src/common/auth/scopes.js';
import { Api } from '../support/api.js';
import { CredentialSources } from '../support/aws.js';
import { Deployment } from '../support/process.js';
import { describeOnS3, freshBucket } from '../support/s3.js';
import { until } from '../support/websockets.js';

const PART = 'mutation($input:generatePartUploadUrlInput!){generatePartUploadUrl(input:$input)}';

describeOnS3('a store for which a node has a role in the place of keys', () => {
  let sources: CredentialSources;
  let deployment: Deployment;
  let key: string;
  beforeAll(async () => {
    sources = await CredentialSources.start();
    deployment = await Deployment.create({ PORT: '0' });
    key = await deployment.keys('create', '--tenant', 'shop', '--scope', ALL_SCOPES);
  });
  beforeEach(() => {
    sources.granted.length = 0;
    sources.lifetimeMs = 3_600_000;
  });
  afterAll(async () => {
    await deployment.remove();
    await sources.stop();
  });

  const serve = async (settings: Record<string, string>) => {
    const { endpoint, bucket } = freshBucket();
    const store = { S3_ENDPOINT: endpoint, S3_PUBLIC_ENDPOINT: endpoint, S3_BUCKET: bucket };
    const server = deployment.start({ ...store, ...settings });
    return { server, endpoint, files: new Api(await server.ready(), 'file-management', key) };
  };
  /** Uploads through the node. Returns where its download leads. */
  const upload = async (files: Api): Promise<string> => {
    const { createFile } = await files.ask('mutation{createFile(input:{name:"a.txt"}){id uploadUrl}}');
    expect((await fetch(createFile.uploadUrl, { method: 'PUT', body: 'content' })).status).toBe(200);
    const { file } = await files.ask(`{file(ID:"${createFile.id}"){downloadUrl}}`);
    expect(await (await fetch(file.downloadUrl)).text()).toBe('content');
    return (await fetch(file.downloadUrl, { redirect: 'manual' })).headers.get('location') ?? 'here';
  };
  const identity = () => {
    const file = join(deployment.dataDir, 'identity');
    writeFileSync(file, 'identity');
    return file;
  };

  it.each([
    [
      'of its container or pod',
      () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${sources.address}/container`, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'pod' }),
      '/container',
    ],
    [
      'of its service account, by a token in a file',
      () => ({
        AWS_WEB_IDENTITY_TOKEN_FILE: identity(),
        AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/files',
        AWS_REGION: 'us-east-1',
        AWS_ENDPOINT_URL_STS: sources.address,
      }),
      '/',
    ],
    [
      'of its machine',
      () => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: sources.address }),
      '/latest/meta-data/iam/security-credentials/role',
    ],
  ])('accepts uploads under the role %s, and redirects downloads to URLs with its session token', async (_, settings, path) => {
    const { server, endpoint, files } = await serve(settings());
    const location = await upload(files);
    expect(location.startsWith(endpoint)).toBe(true);
    expect(new URL(location).searchParams.get('X-Amz-Security-Token')).toBe('a session/token+=');
    expect(sources.granted.filter((granted) => granted === path)).toHaveLength(1);
    await server.stop();
  });

  it('signs no URL that would expire early with its credentials', async () => {
    const { server, endpoint, files } = await serve({ AWS_EC2_METADATA_SERVICE_ENDPOINT: sources.address });
    const { createFile } = await files.ask('mutation{createFile(input:{name:"a.txt"}){id}}');
    const begin = `mutation{initiateMultipartUpload(input:{fileId:"${createFile.id}"}){uploadId}}`;
    const { uploadId } = (await files.ask(begin)).initiateMultipartUpload;
    const urlFor = async (expiresIn: number): Promise<string> =>
      (await files.ask(PART, { input: { fileId: createFile.id, uploadId, partNumber: 1, expiresIn } })).generatePartUploadUrl;
    expect((await urlFor(3_000)).startsWith(endpoint)).toBe(true);
    const passing = await urlFor(7_200);
    expect(passing.startsWith(files.address)).toBe(true);
    expect((await fetch(passing, { method: 'PUT', body: 'part' })).status).toBe(200);
    await server.stop();
  });

  it('requests new credentials once the old ones have expired', async () => {
    sources.lifetimeMs = 1_000;
    const { server, files } = await serve({ AWS_EC2_METADATA_SERVICE_ENDPOINT: sources.address });
    const first = sources.granted.length;
    sources.lifetimeMs = 3_600_000;
    await until(async () => {
      await upload(files);
      return sources.granted.length > first;
    });
    await server.stop();
  });

  it('stops the start without a role and keys, and says what to do', async () => {
    const { endpoint, bucket } = freshBucket();
    const server = deployment.start({ S3_ENDPOINT: endpoint, S3_BUCKET: bucket, AWS_EC2_METADATA_DISABLED: 'true' });
    expect(await server.exited).toBe(1);
    expect(server.output).toMatch(/S3_ENDPOINT names a store that cannot be used: .*set S3_ACCESS_KEY and S3_SECRET_KEY/);
  });
});
