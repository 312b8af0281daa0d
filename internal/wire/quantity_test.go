package wire

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/internal/pbobj"
	"github.com/thinformer/thinformer/internal/wiretest"
)

// priced has a quantity, in JSON and in protobuf.
type priced struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt,name=metadata"`
	Price             resource.Quantity `json:"price" protobuf:"bytes,2,opt,name=price"`
}

func (p *priced) Unmarshal(data []byte) error {
	for len(data) > 0 {
		h, content, n, err := pbobj.Next(data)
		if err != nil {
			return err
		}
		data = data[n:]
		switch h.Number {
		case 1:
			err = p.ObjectMeta.Unmarshal(content)
		case 2:
			err = p.Price.Unmarshal(content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pricedAt returns the protobuf of a priced whose name is its price.
func pricedAt(t testing.TB, price string) []byte {
	meta := wiretest.Protobuf(t, &metav1.ObjectMeta{Name: price})
	data := append([]byte{1<<3 | 2, byte(len(meta))}, meta...)
	return append(append(data, 2<<3|2, byte(2+len(price)), 1<<3|2, byte(len(price))), price...)
}

// Parsing a quantity of eleven bytes can take half a minute of CPU time. Such a
// quantity is rejected, and only its item is lost.
func TestQuantitiesThatAreExpensiveToParseAreRejected(t *testing.T) {
	c := codecFor[priced](t, Options{})
	var raw []byte
	for _, price := range []string{"1e-99999999", "2500m"} {
		item := pricedAt(t, price)
		raw = append(append(raw, 2<<3|2, byte(len(item))), item...)
	}
	list := wiretest.Protobuf(t, &runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: "WidgetList"}, Raw: append([]byte{1<<3 | 2, 0}, raw...)})
	begun := time.Now()
	for contentType, body := range map[string]string{
		JSONType:     listWithItems(`[{"metadata":{"name":"1e-99999999"},"price":"1e-99999999"},{"metadata":{"name":"2500m"},"price":"2500m"}]`),
		ProtobufType: "k8s\x00" + string(list),
	} {
		items, lost, _, err := readList(t, c, contentType, strings.NewReader(body))
		require.NoError(t, err, contentType)
		require.Len(t, lost, 1, contentType)
		require.Equal(t, "1e-99999999", lost[0].Name)
		require.ErrorContains(t, lost[0], "quantity exponent exceeds the limit of 100")
		require.Len(t, items, 1)
		require.EqualValues(t, 2500, items[0].(*priced).Price.MilliValue())
	}
	require.Less(t, time.Since(begun), 30*time.Second)
}
