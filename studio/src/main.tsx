import '@fontsource-variable/inter';
import './ui/tokens.css';
import './ui/base.css';
import './ui/controls.css';
import './ui/page.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { applyTheme } from './ui/theme';

applyTheme();
createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
