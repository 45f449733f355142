// Starts nginx with its Nchan module (Debian: nginx, libnginx-mod-nchan) in the foreground: WebSockets at /sub; POST /pub publishes.
// Exits with nginx.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(process.env.DATA_DIR, 'nchan');
mkdirSync(folder, { recursive: true });
writeFileSync(
  join(folder, 'nginx.conf'),
  `load_module /usr/lib/nginx/modules/ngx_nchan_module.so;
user root;
worker_processes 1;
worker_rlimit_nofile 20000;
daemon off;
pid ${folder}/pid;
error_log stderr crit;
events { worker_connections 19000; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  nchan_max_reserved_memory 256M;
  server {
    listen 127.0.0.1:${process.env.PORT};
    location = /health/ready { return 200; }
    location = /sub { nchan_subscriber websocket; nchan_channel_id all; nchan_subscriber_first_message newest; }
    location = /pub { nchan_publisher; nchan_channel_id all; nchan_message_buffer_length 100; }
  }
}
`,
);
const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'inherit'] });
nginx.once('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => nginx.kill('SIGTERM'));
process.on('exit', () => nginx.kill('SIGKILL'));
