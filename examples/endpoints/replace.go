package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// replace makes text the content of a file, whole or not at all: who reads it
// sees the old file or the new one, also after a power failure. A file that has
// this content already is left alone. Its permissions stay; a new one is
// readable by all.
func replace(name string, text []byte) (replaced bool, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("replace %s: %w", name, err)
		}
	}()
	target, mode := name, fs.FileMode(0o644)
	switch is, err := os.ReadFile(name); {
	case err == nil && bytes.Equal(is, text):
		return false, nil
	case err == nil:
		// A rename would put a file in the place of a link to one.
		if target, err = filepath.EvalSymlinks(name); err != nil {
			return false, err
		}
		info, err := os.Stat(target)
		if err != nil {
			return false, err
		}
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	temporary, err := writeBeside(target, text, mode)
	if err != nil {
		return false, err
	}
	defer os.Remove(temporary) // which is gone, if all goes well
	if err := os.Rename(temporary, target); err != nil {
		return false, err
	}
	return true, syncDirectory(filepath.Dir(target))
}

// writeBeside writes a file into the directory of target, since only within a
// file system a rename is one step. Its name begins with a dot and does not end
// as target's does: an include of *.conf does not read it, should it be left by
// a crash.
func writeBeside(target string, text []byte, mode fs.FileMode) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// syncDirectory makes a rename last. Windows has no such thing.
func syncDirectory(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	directory, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
