// Preloaded into a server of bench/push: sockets and confirmations without the records behind them, to see what each costs.
import { MessageRecordsService } from '../../dist/modules/websockets-manager/message-records.service.js';

MessageRecordsService.prototype.noteOfSent = () => undefined;
MessageRecordsService.prototype.settle = () => undefined;
