# npm i -g wscat
wscat -c ws://localhost:8080/ -H "X-API-KEY: $PAIRWIRE_KEY" -w -1 \
  -x '{"jsonrpc":"2.0","id":1,"method":"swapSubscribe"}'
