// go get github.com/gorilla/websocket
package main

import (
	"fmt"
	"net/http"
	"os"

	"github.com/gorilla/websocket"
)

const request = `{"jsonrpc":"2.0","id":1,"method":"swapSubscribe","params":{"include":{"usdValue":10000}}}`

type frame struct {
	Method string
	Error  *struct{ Message string }
	Params struct {
		Swap struct {
			SwapType, BaseTokenMint, WalletAccount string
			UsdValue                               *float64
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
		if message.Method != "swapNotification" {
			continue
		}

		swap, usd := message.Params.Swap, "unknown"
		if swap.UsdValue != nil {
			usd = fmt.Sprintf("%.2f", *swap.UsdValue)
		}
		fmt.Println(swap.SwapType, usd, swap.BaseTokenMint, swap.WalletAccount)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
