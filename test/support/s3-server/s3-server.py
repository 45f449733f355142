#!/usr/bin/python3
"""An S3 server for tests in one process: OpenStack Swift with its S3 API, from Debian packages.

Real signatures, real multipart, nothing faked. Not MinIO: no bucket policies, no lifecycles. One replica on one device,
loopback only, no background daemons, nothing synced to disk. Objects keep their metadata in user xattrs, so the file
system of --data must have them. Prints "READY http://127.0.0.1:<port>" once it takes requests.
"""
import argparse
import os
import shutil
import time
import warnings

warnings.simplefilter('ignore')

arguments = argparse.ArgumentParser()
arguments.add_argument('--port', type=int, default=9000)
arguments.add_argument('--host', default='127.0.0.1')
arguments.add_argument('--data', default='/tmp/s3-test')
arguments.add_argument('--keep', action='store_true', help='keep what an earlier start stored')
arguments.add_argument('--access-key', default='test:tester', help='account:user, without an underscore')
arguments.add_argument('--secret-key', default='testing')
arguments.add_argument('--region', default='us-east-1')
given = arguments.parse_args()

from swift.common import utils  # noqa: E402
import eventlet  # noqa: E402
import eventlet.debug  # noqa: E402
import eventlet.hubs  # noqa: E402
import eventlet.patcher  # noqa: E402

eventlet.patcher.monkey_patch(all=False, socket=True, select=True, thread=True)

from eventlet import wsgi  # noqa: E402
from swift.common import storage_policy  # noqa: E402
from swift.common.middleware.s3api.controllers.multi_upload import UploadsController  # noqa: E402
from swift.common.ring.builder import RingBuilder  # noqa: E402
from swift.common.utils import NullLogger, get_hub  # noqa: E402
from swift.common.wsgi import SwiftHttpProtocol, loadapp  # noqa: E402
from swift.obj import diskfile  # noqa: E402

SMALLEST_PART = 5 * 1024 * 1024
BACKENDS = ('account', 'container', 'object')

eventlet.hubs.use_hub(get_hub())
eventlet.debug.hub_exceptions(False)
os.environ['TZ'] = 'UTC+0'
time.tzset()
diskfile.fsync = diskfile.fsync_dir = lambda *_: None
os.fsync = os.fdatasync = lambda *_: None

data = os.path.abspath(given.data)
etc = f'{data}/etc'
if not given.keep:
    shutil.rmtree(data, ignore_errors=True)
for folder in (etc, f'{data}/srv/disk', f'{data}/cache'):
    os.makedirs(folder, exist_ok=True)
os.setxattr(data, 'user.swift.probe', b'1')  # fails here, and not with the first object


def write(name, text):
    with open(f'{etc}/{name}', 'w') as file:
        file.write(text)


write('swift.conf', '''[swift-hash]
swift_hash_path_suffix = test
swift_hash_path_prefix = test
[storage-policy:0]
name = Policy-0
default = yes
''')
utils.set_swift_dir(etc)
storage_policy.reload_storage_policies()

sockets = {}
for name in BACKENDS:
    sockets[name] = eventlet.listen(('127.0.0.1', 0))
    ring = RingBuilder(1, 1, 0)
    ring.add_dev({'id': 0, 'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': sockets[name].getsockname()[1],
                  'device': 'disk', 'weight': 1, 'meta': ''})
    ring.rebalance()
    ring.get_ring().save(f'{etc}/{name}.ring.gz')
    write(f'{name}-server.conf', f'''[DEFAULT]
swift_dir = {etc}
devices = {data}/srv
mount_check = false
disable_fallocate = true
log_level = WARNING
recon_cache_path = {data}/cache
node_timeout = 60
conn_timeout = 5
[pipeline:main]
pipeline = {name}-server
[app:{name}-server]
use = egg:swift#{name}
container_update_timeout = 30
replication_concurrency = 0
''')

account, user = given.access_key.split(':')
write('proxy-server.conf', f'''[DEFAULT]
swift_dir = {etc}
log_level = WARNING
cors_allow_origin = *
cors_expose_headers = etag, accept-ranges, content-range, content-disposition
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck s3api tempauth slo versioned_writes symlink proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:s3api]
use = egg:swift#s3api
location = {given.region}
storage_domain = s3.test
max_upload_part_num = 10000
max_parts_listing = 10000
min_segment_size = {SMALLEST_PART}
cors_preflight_allow_origin = *
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {given.secret_key} .admin
[filter:slo]
use = egg:swift#slo
max_manifest_segments = 10000
rate_limit_after_segment = 1000000
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_object_versioning = true
[filter:symlink]
use = egg:swift#symlink
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
conn_timeout = 5
node_timeout = 60
recoverable_node_timeout = 60
''')

# Swift takes an empty "delimiter=" of ListMultipartUploads literally. S3 ignores it, and the SDK always sends it: it is
# dropped once the signature has been checked.
list_uploads = UploadsController.GET


def list_uploads_as_s3(self, request):
    if request.params.get('delimiter') == '':
        request.params = {name: value for name, value in request.params.items() if name != 'delimiter'}
    return list_uploads(self, request)


list_uploads_as_s3.__dict__.update(list_uploads.__dict__)
UploadsController.GET = list_uploads_as_s3


class NoCache:
    """Stands in for memcached, which tempauth insists on and nothing here needs."""

    def get(self, *_, **__):
        return None

    def set(self, *_, **__):
        pass

    delete = set_multi = set

    def get_multi(self, keys, *_, **__):
        return [None] * len(keys)

    def incr(self, *_, **__):
        return 1

    def decr(self, *_, **__):
        return 0


def serve(socket, app):
    wsgi.server(socket, app, NullLogger(), protocol=SwiftHttpProtocol, socket_timeout=60,
                capitalize_response_headers=False, custom_pool=eventlet.GreenPool(1024), debug=False)


for name in BACKENDS:
    eventlet.spawn(serve, sockets[name], loadapp(f'{etc}/{name}-server.conf', global_conf={'log_name': name}))
proxy = loadapp(f'{etc}/proxy-server.conf', global_conf={'log_name': 'proxy'})
cache = NoCache()


def front(environ, start_response):
    environ['swift.cache'] = cache
    return proxy(environ, start_response)


front_socket = eventlet.listen((given.host, given.port))
print(f'READY http://{given.host}:{front_socket.getsockname()[1]}', flush=True)
try:
    serve(front_socket, front)
except KeyboardInterrupt:
    pass
