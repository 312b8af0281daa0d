package apitest

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// identities gives objects uids and generated names, the same ones for the same
// seed.
type identities struct {
	mu   sync.Mutex
	dice *rand.Rand
}

func newIdentities(seed uint64) *identities {
	return &identities{dice: rand.New(rand.NewPCG(seed, 0))}
}

// uid is a random one, in the form of RFC 4122.
func (i *identities) uid() types.UID {
	var b [16]byte
	i.mu.Lock()
	binary.BigEndian.PutUint64(b[:8], i.dice.Uint64())
	binary.BigEndian.PutUint64(b[8:], i.dice.Uint64())
	i.mu.Unlock()
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	const hex = "0123456789abcdef"
	text := make([]byte, 0, 36)
	for at, part := range b {
		if at == 4 || at == 6 || at == 8 || at == 10 {
			text = append(text, '-')
		}
		text = append(text, hex[part>>4], hex[part&15])
	}
	return types.UID(text)
}

// name is a prefix with a random end of five letters, of which none makes a
// word. A prefix that leaves no room for them in a DNS label is cut.
func (i *identities) name(prefix string) string {
	const letters, most, end = "bcdfghjklmnpqrstvwxz2456789", 63, 5
	text := []byte(prefix[:min(len(prefix), most-end)])
	i.mu.Lock()
	defer i.mu.Unlock()
	for range end {
		text = append(text, letters[i.dice.IntN(len(letters))])
	}
	return string(text)
}
