// npm start: the shop, with the server and the key that the environment names.
import { createApp } from './app.js';
import { createShop } from './shop.js';

const { PLATFORM_URL: url, PLATFORM_KEY: key, SHOP_URL, PORT = '8080' } = process.env;
if (!url || !key) throw new Error('Set PLATFORM_URL, such as http://localhost:3000, and PLATFORM_KEY');
const shop = await createShop({ url, key });
const server = createApp(shop).listen(Number(PORT), () => console.log(`The shop is on http://localhost:${PORT}`));
process.once('SIGTERM', () => server.close(() => void shop.close()));
if (SHOP_URL) await shop.listen(new URL('/hooks', SHOP_URL).href);
