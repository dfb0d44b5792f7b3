// go get github.com/gorilla/websocket
package main

import (
	"fmt"
	"net/http"
	"os"

	"github.com/gorilla/websocket"
)

const request = `{"jsonrpc":"2.0","id":1,"method":"newPairSubscribe","params":{"include_launchpad_tokens":true}}`

type frame struct {
	Method string
	Error  *struct{ Message string }
	Params struct {
		Pair struct {
			SourceExchange string
			BaseToken      struct {
				Account string
				Info    *struct{ Metadata *struct{ Symbol string } }
			}
		}
	}
}

func main() {
	key := os.Getenv("PAIRWIRE_KEY")
	headers := http.Header{"X-Api-Key": {key}}
	stream, _, err := websocket.DefaultDialer.Dial("ws://localhost:8080/", headers)
	if err == nil {
		err = stream.WriteMessage(websocket.TextMessage, []byte(request))
	}
	for err == nil {
		var message frame
		if err = stream.ReadJSON(&message); err != nil {
			break
		}
		if message.Error != nil {
			fmt.Fprintln(os.Stderr, message.Error.Message)
		}
		if message.Method != "newPairNotification" {
			continue
		}

		pair, symbol := message.Params.Pair, "?"
		if info := pair.BaseToken.Info; info != nil && info.Metadata != nil {
			symbol = info.Metadata.Symbol
		}
		fmt.Println(pair.SourceExchange, symbol, pair.BaseToken.Account)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
