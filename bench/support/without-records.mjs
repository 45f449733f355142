// Preloaded into a server of bench/push: sockets and confirmations without the records behind them, to show the cost of each.
import { MessageRecordsService } from '../../dist/modules/websockets-manager/messages/message-records.service.js';

MessageRecordsService.prototype.sentRecorder = () => undefined;
MessageRecordsService.prototype.settle = () => undefined;
