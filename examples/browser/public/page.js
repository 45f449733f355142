const { upload } = PlatformServices;
const byId = (id) => document.getElementById(id);

async function ask(path, body = {}) {
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} was refused with ${response.status}`);
  return response.json();
}

byId('file').addEventListener('change', async ({ target }) => {
  byId('fault').textContent = '';
  try {
    const [file] = target.files;
    const { id, uploadUrl } = await ask('/uploads', { name: file.name });
    await upload(file, uploadUrl, {
      onProgress: ({ done, total }) => (byId('progress').value = total === 0 ? 1 : done / total),
    });
    await ask('/uploads/done', { id });
  } catch (error) {
    byId('fault').textContent = error.message;
  }
});

// Stays connected, and shows what other tabs read.
Object.assign(document.querySelector('platform-inbox'), {
  load: (nextToken) => ask('/inbox', { nextToken: nextToken ?? undefined }),
  connectionUri: () => ask('/connection'),
  markAll: () => ask('/inbox/read'),
});
