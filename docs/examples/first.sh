#!/bin/sh
# Plays the first legal action. The lines have one space behind each comma and colon, so a shell can parse them.
while IFS= read -r line; do
    case $line in
    '{"type": "hello"'*)
        echo '{"type": "hello", "protocol": 2}'
        ;;
    '{"type": "decision"'*)
        id=${line#*'"id": '}
        decision=${line#*'"decision": '}
        action=${line#*'"legal": ["'}
        echo '{"type": "action", "id": '"${id%%,*}"', "decision": '"${decision%%,*}"', "action": "'"${action%%\"*}"'"}'
        ;;
    esac
done
