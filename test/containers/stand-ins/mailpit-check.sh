#!/bin/bash
# Asks the catcher whether it is ready, in place of Mailpit's own program.
exec 3<>/dev/tcp/127.0.0.1/8025
printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3
read -r answer <&3
[[ $answer == 'HTTP/1.1 200'* ]]
