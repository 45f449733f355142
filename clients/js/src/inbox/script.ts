// For a <script> tag.
import { defineInbox } from './platform-inbox.js';

defineInbox();
